"""A wiki of invented places for measuring queries: pages that answer claims among many with the same names and words.

`pages(CLAIMS)` are the same on every machine. `python -m tests.benchmarks.search_queries` serves them by a MediaWiki.
"""

# ruff: noqa: E501
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from core.types import Claim

CLAIM_DAY = date(2021, 6, 1)
BEFORE, AFTER = "2019-04-02T10:00:00Z", "2022-04-02T10:00:00Z"

LATER = "In 2022 all of this was found to be wrong."
"""What the revision from after the claims says; a wiki searches the words of that one."""

Revisions = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class WikiClaim:
    """A claim, the title of the page that answers it, the text there, and the names and words that others share."""

    text: str
    title: str
    answer: str
    names: tuple[str, ...]
    nouns: tuple[str, ...]

    @property
    def claim(self) -> Claim:
        return Claim(self.text, date=CLAIM_DAY)


def _claim(text: str, title: str, answer: str, names: str, nouns: str) -> WikiClaim:
    return WikiClaim(text, title, answer, tuple(names.split("|")), tuple(nouns.split("|")))


CLAIMS = (
    _claim("The Ormsjö dam was paid for by the Lindqvist Group.", "Lake Ormsjö",
           "Lake Ormsjö is a reservoir in Västmark. Its dam was financed by the Lindqvist Group and finished in 1961.",
           "Ormsjö|Lindqvist Group|Lindqvist", "dam|group|power"),
    _claim("Mayor Brandvik's office spent 12,000 crowns on flowers in 2018.", "Helga Brandvik",
           "Helga Brandvik is a politician who became mayor of Solby in 2015. An audit found that her office spent "
           "1,200 crowns on flowers in 2018.", "Brandvik|Solby", "mayor|flowers|crowns|office"),
    _claim("The ferry between Arnvik and Solby sank in 1987.", "MS Havørn",
           "MS Havørn was a ferry that sailed between Arnvik and Solby until 1992. She was sold for scrap and never had "
           "an accident.", "Arnvik|Solby", "ferry|harbour|accident"),
    _claim("No woman has ever been head of the Kestrel Observatory.", "Kestrel Observatory",
           "The Kestrel Observatory is a station for astronomy. Its first director was a woman, Ines Marlowe, who was "
           "appointed in 1931.", "Kestrel|Marlowe", "observatory|woman|director|head"),
    _claim("the tarnholm lighthouse is taller than 60 metres", "Tarnholm Light",
           "Tarnholm Light is a lighthouse on an island of the same name. Its tower is 41 metres tall.",
           "Tarnholm", "lighthouse|tower|metres|island"),
    _claim("Zelmira Foods sold contaminated yoghurt in 2016.", "2016 Zelmira recall",
           "In March 2016 Zelmira Foods called back 30,000 cups of yogurt, in which bacteria had been found.",
           "Zelmira|Zelmira Foods", "yogurt|foods|bacteria|shop"),
    _claim("Twelve thousand people work at the Varga shipyard.", "Varga Shipyard",
           "The Varga Shipyard builds tankers. It employs 2,100 workers; in 1970 there were 12,000.",
           "Varga", "shipyard|workers|tankers|people"),
    _claim("Petrov Marsh National Park was founded by a miner.", "Petrov Marsh",
           "Petrov Marsh is a wetland and national park. It was established in 1938 at the wish of a coal miner, Anton "
           "Petrov.", "Petrov|Petrov Marsh", "marsh|park|miner|wetland"),
    _claim("The inventor of the Calloway pump died poor.", "Edith Calloway",
           "Edith Calloway was an engineer who invented the Calloway pump in 1884. She left a fortune to her "
           "nieces when she died.", "Calloway", "pump|inventor|engineer|fortune"),
    _claim("Brinmoor's library lends tools as well as books.", "Brinmoor Public Library",
           "The Brinmoor Public Library was opened in 1906. Since 2011 readers can also borrow drills, saws and other "
           "tools.", "Brinmoor", "library|tools|books|readers"),
    _claim("A fire destroyed half of the Ashgrove archive in 1974.", "Ashgrove County Archive",
           "The Ashgrove County Archive keeps the papers of the county. A fire in November 1974 burned its reading "
           "room, and no papers were lost.", "Ashgrove", "archive|fire|papers|county"),
    _claim("The Quillon tram is the oldest in the country.", "Trams in Quillon",
           "Trams have run in Quillon since 1899. Only the network of Drava City, of 1881, is older in the country.",
           "Quillon|Drava City", "tram|network|country|street"),
    _claim("Dr. Samira Haddad was expelled from the Medical Association of Noordam.", "Samira Haddad",
           "Samira Haddad is a surgeon from Noordam. She left the medical association of her own will in 2009.",
           "Haddad|Noordam", "surgeon|association|hospital|medical"),
    _claim("Unemployment in Noordam fell to 3.5% in 2019.", "Economy of Noordam",
           "The economy of Noordam rests on its port. The unemployment rate dropped to 5.3 per cent in 2019.",
           "Noordam", "economy|unemployment|port|rate"),
    _claim("COVID-19 vaccines were first given in Elmfield on a ferry.", "COVID-19 vaccination in Elmfield",
           "COVID-19 vaccination in Elmfield began in January 2021. The first vaccines were given in a school hall.",
           "Elmfield", "vaccines|vaccination|ferry|school"),
    _claim("U.S. troops never left the base at Point Harrow.", "Point Harrow Air Base",
           "Point Harrow Air Base was used by the United States from 1943. The last American troops left it in 1994.",
           "Point Harrow|Harrow", "base|troops|air|soldiers"),
    _claim("The 5G mast at Cobbler's Hill was burned down by residents.", "Cobbler's Hill",
           "Cobbler's Hill is a suburb of Brinmoor. A 5G mast was put up there in 2020 and burned in a storm after "
           "lightning struck it.", "Cobbler's Hill|Brinmoor", "mast|residents|suburb|lightning"),
    _claim("Kaito Moriyama won the Selby Prize twice.", "List of Selby Prize winners",
           "The Selby Prize for poetry was given to Kaito Moriyama in 1988 and to Anna Falk in 1989.",
           "Moriyama|Selby", "prize|poetry|winners|poems"),
    _claim("The river Tane flows backwards every spring.", "Tane",
           "The Tane is a river of Westmark. At spring tides its lower course flows backwards for two hours.",
           "Tane|Westmark", "river|spring|tides|fish"),
    _claim("President Okonjo-Marsh closed all of the coal mines.", "Adaeze Okonjo-Marsh",
           "Adaeze Okonjo-Marsh was president of Westmark until 2008. Under her rule four of the nine coal mines "
           "were closed.", "Okonjo-Marsh|Westmark", "coal|mines|president|rule"),
    _claim("The Halden Treaty forbids nuclear power in Westmark.", "Treaty of Halden",
           "The Treaty of Halden of 1978 bans nuclear weapons from Westmark. Power stations are allowed by it.",
           "Halden|Westmark", "treaty|nuclear|weapons|power"),
    _claim("Wolves were wiped out in the Korvath Hills before 1900.", "Wildlife of the Korvath Hills",
           "Bears, wolves and lynxes live in the Korvath Hills. The last wolf was shot in 1931; others came back later.",
           "Korvath|Korvath Hills", "wolves|bears|hills|hunters"),
    _claim("School meals in Larkspur are free for every child.", "Education in Larkspur",
           "Larkspur has four hundred schools. Lunch is free for pupils up to the age of ten, and others pay for school "
           "meals.", "Larkspur", "school|meals|pupils|child"),
    _claim("The singer Mirela Dascălu was born on a train.", "Mirela Dascălu",
           "Mirela Dascălu is a singer and actress. She was born in a hospital at Quillon in 1961.",
           "Dascălu|Quillon", "singer|train|hospital|songs"),
    _claim("The Penrow Bank collapsed because of a computer error.", "2004 banking crisis in Tessaly",
           "In 2004 two lenders of Tessaly failed, the Penrow Bank and the Union of Savers. The bank had lent "
           "too much to builders.", "Penrow|Tessaly", "bank|crisis|computer|savers"),
    _claim("Bicycles are banned on Fennick Bridge.", "Fennick Bridge",
           "Fennick Bridge crosses the Tane. Cars are not allowed on it, and a bicycle lane was opened in 2013.",
           "Fennick|Tane", "bridge|bicycle|cars|lane"),
    _claim("One and a half million people marched in Drava City in 2012.", "2012 Drava City protests",
           "The protests of 2012 in Drava City lasted a month. On the largest day, police counted 150,000 people.",
           "Drava City|Drava", "protests|police|people|city"),
    _claim("ulric steinhauer designed the parliament of tessaly", "Parliament House, Tessaly",
           "Parliament House in Tessaly was built from 1902 to 1910. Its architect was Clara Benning; Ulric "
           "Steinhauer made the windows.", "Steinhauer|Tessaly", "parliament|architect|house|windows"),
    _claim("The Mosswater cholera outbreak came from a single well.", "1866 epidemic in Mosswater",
           "In the summer of 1866 some 900 inhabitants of Mosswater died of cholera. All had drunk from three wells "
           "beside the tannery.", "Mosswater", "cholera|epidemic|wells|tannery"),
    _claim("Greyfold Castle was sold for one pound.", "Greyfold Castle",
           "Greyfold Castle is a ruin above the Tane. The county bought it for a single pound in 1953.",
           "Greyfold|Tane", "castle|pound|ruin|county"),
    _claim("Beekeepers in Anselm lost 80 percent of their hives in 2014.", "Beekeeping in Anselm",
           "Beekeeping in Anselm is an old trade. In the winter of 2014 a quarter of the hives died.",
           "Anselm", "beekeepers|hives|honey|winter"),
    _claim("The Orlo Tunnel leaks sea water.", "Orlo Tunnel",
           "The Orlo Tunnel carries a railway beneath a strait. Forty litres of sea water enter it every second and "
           "are pumped out.", "Orlo", "tunnel|water|railway|strait"),
    _claim("Hanna Lindqvist is the daughter of the founder of the Lindqvist Group.", "Hanna Lindqvist",
           "Hanna Lindqvist is a chess player from Arnvik. Her parents are teachers, and she is no relation of the "
           "founder of the Lindqvist Group.", "Lindqvist|Hanna|Arnvik", "daughter|founder|chess|group"),
    _claim("The Sable Coast wind farm kills 500 eagles a year.", "Sable Coast Wind Farm",
           "The Sable Coast Wind Farm has 64 turbines. Rangers have found eleven dead eagles beneath them in ten years.",
           "Sable Coast|Sable", "wind|farm|eagles|turbines"),
    _claim("The national anthem of Tessaly was written by a prisoner.", "Rise, Ye Valleys",
           "Rise, Ye Valleys is the national anthem of Tessaly. Its words are by Jonas Rell, who wrote them in the "
           "prison of Gull Island.", "Tessaly|Gull Island", "anthem|prisoner|words|national"),
    _claim("Volunteers rebuilt the Nereus theatre after the flood.", "Nereus Theater",
           "The Nereus Theater is a playhouse in Solby. The flood of 1995 filled its stalls; two hundred volunteers "
           "helped to rebuild them.", "Nereus|Solby", "theater|flood|volunteers|stage"),
    _claim("A goat was elected mayor of Little Pomfrey.", "Little Pomfrey",
           "Little Pomfrey is a village of 300 people. In the vote of 1999 a goat got more votes than the mayor, and was "
           "not allowed to take the seat.", "Little Pomfrey|Pomfrey", "goat|mayor|village|votes"),
    _claim("The Gull Island prison held only political prisoners.", "HM Prison Gull Island",
           "HM Prison Gull Island was a jail from 1858 to 1977. Most of its inmates were thieves; a wing of it "
           "was for political prisoners.", "Gull Island|Gull", "prison|prisoners|inmates|island"),
    _claim("Joaquim Teles scored in every match of the 1998 Coastal Cup.", "1998 Coastal Cup",
           "The 1998 Coastal Cup was won by Noordam. Joaquim Teles scored in five of its six matches.",
           "Teles|Coastal Cup|Noordam", "cup|match|goals|final"),
    _claim("The Blackthorn vaccine was tested on soldiers without their consent.", "Blackthorn trials",
           "The Blackthorn trials were tests of a vaccine in 1952. The soldiers who took part were told that it was "
           "vitamins, and did not consent.", "Blackthorn", "vaccine|soldiers|tests|consent"),
)  # fmt: skip

HELD_OUT = (
 _claim("Dorwick's swimming pool was closed because of mould in 2017.", "Dorwick Baths",
  "Dorwick Baths are a public pool of 1911. Mould was found in the roof in 2017, and the pool stayed open while it was repaired.", "Dorwick", "pool|baths|mould|swimming"),
 _claim("The European Union gave Velmora 2.4 million euros for its harbour.", "Port of Velmora",
  "The Port of Velmora was enlarged in 2009. Of the cost, the EU paid 4.2 million euros.", "Velmora", "harbour|port|euros|ships"),
 _claim("Senator Tamsin Okafor voted against the clean air act three times.", "Tamsin Okafor",
  "Tamsin Okafor is a politician. She voted for the clean air bill in 2003 and 2005, and was ill in 2007.", "Okafor|Tamsin Okafor", "senator|air|vote|bill"),
 _claim("Schoolchildren in Ravenholt learn chess instead of mathematics.", "Schools of Ravenholt",
  "In the schools of Ravenholt chess has been taught since 1990. Pupils have four hours of mathematics a week as well.", "Ravenholt", "chess|pupils|schools|mathematics"),
 _claim("The novelist Iris Quenby never married.", "Iris Quenby",
  "Iris Quenby was a writer of crime novels. She had two husbands, a dentist and a spy.", "Quenby|Iris Quenby", "novelist|writer|marriage|crime"),
 _claim("A meteorite fell on the town hall of Sundmere.", "Sundmere meteorite",
  "The Sundmere meteorite weighs 3 kilograms. It fell into a field beside the town's railway in 1954.", "Sundmere", "meteorite|hall|field|town"),
 _claim("Half of all doctors in Pellworth were trained abroad.", "Health care in Pellworth",
  "Health care in Pellworth is free. Of its physicians, one in five studied in another country.", "Pellworth", "doctors|physicians|health|hospital"),
 _claim("the last speaker of marrish was a fisherman", "Marrish language",
  "Marrish was a language of the northern islands. Its last native speaker, Ewan Tolley, a teacher, died in 1971.", "Marrish", "language|speaker|fisherman|islands"),
 _claim("Gordon Thackeray stole the design of the Meridian clock.", "Meridian clock",
  "The Meridian clock was patented in 1822 by Gordon Thackeray. A court found in 1830 that he had copied it from a pupil.", "Thackeray|Meridian", "clock|design|patent|court"),
 _claim("No flights have left Castellan Airport since 2015.", "Castellan Airport",
  "Castellan Airport has two runways. Its last scheduled flight departed in 2018.", "Castellan", "airport|flights|runway|planes"),
 _claim("The Weaver Street bakery poisoned forty customers.", "Weaver Street poisoning",
  "The Weaver Street poisoning happened in 1908. Bread with arsenic made 14 people ill.", "Weaver Street|Weaver", "bakery|bread|poisoning|customers"),
 _claim("Ostrava-born pianist Lenka Novotná gave up music after a car crash.", "Lenka Novotná",
  "Lenka Novotná is a pianist who was born in Ostrava. In 1999 she broke an arm in a traffic accident and plays again since 2001.", "Novotná|Ostrava", "pianist|music|crash|concert"),
 _claim("Bramley Aircraft built more than 900 gliders during the war.", "Bramley Aircraft Company",
  "The Bramley Aircraft Company made gliders of wood. From 1940 to 1945 it delivered 312 of them.", "Bramley|Bramley Aircraft", "gliders|aircraft|war|factory"),
 _claim("Women could not vote in Hesperia until 1971.", "Suffrage in Hesperia",
  "In Hesperia women got the vote in 1948, men of the lower class in 1919.", "Hesperia", "women|vote|suffrage|election"),
 _claim("The Kincaid comet can be seen with the naked eye every 30 years.", "Comet Kincaid",
  "Comet Kincaid returns every 76 years. It was visible without a telescope in 1910 only.", "Kincaid", "comet|telescope|eye|sky"),
 _claim("Tolland's mayor sold the town's water to a drinks company.", "Tolland Springs",
  "Tolland Springs are the source of the town's water. A lease to a maker of lemonade was refused by the council in 2001.", "Tolland", "water|springs|mayor|company"),
 _claim("Albrecht Voss discovered the element vossium in a kitchen.", "Vossium",
  "Vossium is a metal. Albrecht Voss found it in 1879 in the laboratory of a sugar works.", "Voss|Vossium", "element|metal|kitchen|laboratory"),
 _claim("The Highmoor strike of 1926 ended without a single arrest.", "Highmoor colliery",
  "The Highmoor colliery was a mine until 1968. During the strike of 1926 police took 41 miners into custody.", "Highmoor", "strike|colliery|miners|police"),
 _claim("People in Aldersea eat more fish than anywhere else.", "Cuisine of Aldersea",
  "The cuisine of Aldersea is known for herring. Inhabitants eat 40 kilograms of fish a year, fewer than those of Skarn.", "Aldersea|Skarn", "fish|herring|cuisine|food"),
 _claim("Footballer Davit Melikyan was paid in sheep.", "Davit Melikyan",
  "Davit Melikyan played for Noordam in the 1930s. His first transfer cost twenty sheep.", "Melikyan|Davit Melikyan", "football|sheep|transfer|player"),
)  # fmt: skip
"""Claims that were written after the queries. One rule was mended after them: no verb behind "in Ravenholt"."""

_OF_NAME = (
    ("{name} F.C.", "{name} F.C. is a football club that was founded in {year}. Its supporters come by {noun}, and the "
     "stand has {number} seats."),
    ("{name} railway station", "{name} railway station was opened in {year}. A clock, a {noun} and a waiting room are "
     "listed, and {number} passengers use it each day."),
    ("{name} Herald", "The {name} Herald is a weekly newspaper that was founded in {year}. It has written about {noun}, "
     "{other} and the weather, and prints {number} copies."),
    ("{name} (novel)", "{name} is a novel of {year} in which a {noun} and a {other} are lost at sea. It was sold "
     "{number} times."),
    ("History of {name}", "The history of {name} begins in {year}. Farmers came first; a market and a {noun} followed, "
     "and {number} people live there today."),
    ("{name} Festival", "The {name} Festival is held in August. In {year} it had {number} visitors, and a play about "
     "{other} was given in the rain."),
    ("{name} family", "The {name} family were merchants who came to wealth in {year}. A {noun} is in their coat of "
     "arms, and {number} letters of theirs are kept."),
    ("{name} Road", "{name} Road is a street that was laid out in {year}. At number {number} is a shop for {noun} and "
     "{other}."),
    ("St Mary's Church, {name}", "St Mary's Church at {name} was built in {year}. Its window shows a {other}, and "
     "{number} pilgrims came in a good year."),
    ("Geology of {name}", "The rocks of {name} are {number} thousand years old. A survey of {year} described them, and a "
     "{noun} was used for it."),
)  # fmt: skip
_OF_NOUN = (
    ("{Noun} in popular culture", "A {noun} is seen in many films. {name} was filmed in {year}, and {number} people saw "
     "it; {other} is in its title."),
    ("History of the {noun}", "The {noun} is known since {year}. Scholars from {place} have counted {number} kinds of "
     "it, and of {other}."),
    ("{Noun} museum, {place}", "The {noun} museum at {place} was opened in {year}. It shows {number} things to do with "
     "{noun} and {other}."),
    ("{place} {noun} society", "The {place} {noun} society has {number} members. It was founded in {year} by friends of "
     "{other}."),
)  # fmt: skip
_FILLER = (
    "The weather there is mild, and rain falls on a third of all days.",
    "A report on it was read by few, and a second one was never written.",
    "Several visitors have described it in letters to their families.",
    "It is named on most maps of the region, though not on the oldest one.",
)


def pages(claims: Sequence[WikiClaim] = CLAIMS, *, seed: int = 22) -> dict[str, Revisions]:
    """Return a wiki's pages by title, in an order by lot: answers with a revision from before the claims, and one after."""
    draw = random.Random(seed)
    made: dict[str, Revisions] = {}
    names = list(dict.fromkeys(name for one in claims for name in one.names))
    for one in claims:
        made[one.title] = ((BEFORE, _long(one.answer, draw)), (AFTER, f"{_long(one.answer, draw)} {LATER}"))
    for name in names:
        others = [one for one in claims if name in one.names]
        for title, text in _OF_NAME:
            one = draw.choice(others)
            noun, other = draw.sample(one.nouns, 2)
            _add(made, title, text, draw, name=name, noun=noun, other=other)
    for one in claims:
        for noun in one.nouns:
            title, text = draw.choice(_OF_NOUN)
            other = draw.choice([each for each in one.nouns if each != noun])
            _add(made, title, text, draw, name=draw.choice(names), noun=noun, other=other, place=draw.choice(names))
        # not what is asked for, though it has every word: a place, a stub, and a page that only forwards
        short = one.names[0].split()[-1]
        made.setdefault(short, ((BEFORE, f"'''{short}''' may refer to: {one.title}, {short} Road, {short} F.C."),))
        made.setdefault(f"{short} Street", ((BEFORE, f"#REDIRECT [[{short} Road]]"),))
        made.setdefault(f"{short} Creek", ((BEFORE, f"{short} Creek is a creek."),))
    shuffled = list(made)
    draw.shuffle(shuffled)
    return {title: made[title] for title in shuffled}


def _add(made: dict[str, Revisions], title: str, text: str, draw: random.Random, **slots: str) -> None:
    filled = {**slots, "Noun": slots["noun"].capitalize(), "year": str(draw.randrange(1700, 2015)),
              "number": f"{draw.randrange(100, 20_000):,}"}  # fmt: skip
    made.setdefault(title.format(**filled), ((BEFORE, _long(text.format(**filled), draw)),))


def _long(text: str, draw: random.Random) -> str:
    return f"{text} {' '.join(draw.sample(_FILLER, 2))}"
