"""The forms of English verbs: a verb's base form from its past or third person, by tables and spelling."""

from __future__ import annotations

import re

_IRREGULAR = """
arise/arose/arisen awake/awoke/awoken bear/bore/born/borne beat/beat/beaten become/became/become begin/began/begun
bend/bent bet/bet bind/bound bite/bit/bitten bleed/bled blow/blew/blown break/broke/broken breed/bred bring/brought
broadcast/broadcast build/built burn/burnt burst/burst buy/bought cast/cast catch/caught choose/chose/chosen
cling/clung come/came/come cost/cost creep/crept cut/cut deal/dealt dig/dug draw/drew/drawn drink/drank/drunk
drive/drove/driven eat/ate/eaten fall/fell/fallen feed/fed feel/felt fight/fought find/found flee/fled fly/flew/flown
forbid/forbade/forbidden forget/forgot/forgotten forgive/forgave/forgiven freeze/froze/frozen get/got/gotten
give/gave/given go/went/gone grind/ground grow/grew/grown hang/hung hear/heard hide/hid/hidden hit/hit hold/held
hurt/hurt keep/kept know/knew/known lay/laid lead/led lean/leant learn/learnt leave/left lend/lent let/let
lie/lay/lain light/lit lose/lost make/made mean/meant meet/met mislead/misled overcome/overcame/overcome
overthrow/overthrew/overthrown overtake/overtook/overtaken pay/paid prove/proved/proved/proven put/put quit/quit
read/read rebuild/rebuilt ride/rode/ridden ring/rang/rung rise/rose/risen run/ran/run say/said see/saw/seen
seek/sought sell/sold send/sent set/set shake/shook/shaken shed/shed shine/shone shoot/shot show/showed/showed/shown
shrink/shrank/shrunk shut/shut sing/sang/sung sink/sank/sunk sit/sat sleep/slept slide/slid speak/spoke/spoken
spend/spent spin/spun split/split spread/spread spring/sprang/sprung stand/stood steal/stole/stolen stick/stuck
sting/stung strike/struck strive/strove/striven swear/swore/sworn sweep/swept swim/swam/swum swing/swung
take/took/taken teach/taught tear/tore/torn tell/told think/thought throw/threw/thrown undergo/underwent/undergone
understand/understood undertake/undertook/undertaken uphold/upheld wake/woke/woken wear/wore/worn weave/wove/woven
win/won wind/wound withdraw/withdrew/withdrawn withhold/withheld withstand/withstood write/wrote/written
"""
"""Base form, past, and participles where they differ from the past."""

_ROWS = [row.split("/") for row in _IRREGULAR.split()]
_PAST = {row[1]: row[0] for row in _ROWS}
_PARTICIPLES = frozenset(form for row in _ROWS for form in (row[2:] or row[1:])) | {"been", "done", "had"}
_PAST_ONLY = frozenset(row[1] for row in _ROWS) - _PARTICIPLES
"""Pasts that are no participle: "wrote"."""

_REGULAR = """
accept account act add admit affect agree aim allow announce appear apply approve argue arrest arrive ask attack
attend avoid ban belong benefit block borrow bring buy call carry cause cease change charge claim close collect
combine compare confirm connect consist consume contain continue contribute control convert cope count cover create
cross cultivate cure damage decide declare decline decrease defeat defend define deliver demand deny depend describe
deserve design destroy develop die disagree discover display divide double drain drop earn echo employ err enable
encourage end endorse enjoy enter equal establish exceed exclude exist expand expect explain export express extend
face fail feature finance finish flow follow force form fund gain generate govern grant guarantee happen harm hate
help hire hold host house identify ignore import improve include increase infect inherit introduce invest involve
issue jail join kill lack last launch like link list live log love lower mail maintain manage manufacture mark marry
measure melt mislead move name need occur offend offer open operate oppose order originate outlaw outnumber oversee
own participate pass perform permit plan play point pollute pose possess predict prefer prevent prey produce prohibit
promise promote protect provide publish punish push qualify raise rank rate reach receive recognise recognize
recommend record recover reduce refer reflect refuse reject relate rely remain remove replace report represent require
resemble reside respond rest restrict result return reveal rule save score seem select serve share shift show signal
sleep spend spread start state stay stem stop study suffer suggest supply support suppose surpass surround survive
target tax teach tend threaten total trade train transmit travel treat turn use value vary visit vote wait walk want
warn weaken weigh work
"""
_BASES = frozenset(_REGULAR.split()) | {row[0] for row in _ROWS}

_NO_PAST = re.compile(
    r"(?:.*(?<!agr)(?<!guarant)(?<!fr)eed|.*tred|sacred|.*-.*|bed|red|wicked|naked|hundred|kindred|united|shed|sled|bred|fled|"
    r"aged|biped|moped|indeed|need|speed|seed|feed|weed|breed|embed|wed|shred|unprecedented|unlimited|unchanged)"
)
_DOUBLED = re.compile(r".*[aeiouy](?:bb|dd|gg|mm|nn|pp|rr|tt|vv)")
_ELL = frozenset("controll cancell travell labell compell expell propell fuell modell patroll enroll signall".split())
_NO_E = frozenset(
    "abandon anchor audit author await bang belong benefit bias budget canvas cheat coat color combat comment "
    "commit cover credit defeat deposit develop doctor edit envelop equal exhibit exploit favor favour float focus "
    "gossip hang happen heat honor honour inherit inhibit interpret labor limit listen market mention merit monitor "
    "murder open orbit permit pocket poison profit prohibit question recruit repeat rocket seat sharpen solicit "
    "sponsor strengthen suffer target threaten ticket total treat tutor visit vomit worship".split()
)
_WITH_E = frozenset(
    "ach adher arrang ced challeng chang cit clon compet complet conced condon conven creat delet devot estrang "
    "exchang excit hop ignit imped interfer interven invit not phon plung postpon preced promot quot rang recit "
    "rever ston unit vot welcom writ".split()
)
_E_AT_END = re.compile(
    r".*(?:[cvuz]|[^aeiou][iou]b|[^s]s|[dlr]g|[aiu]g|(?<![eo])at|[^aeo]ut|[^aeo]ir|[^o]ur|(?<![eo])ar|(?<![o])or|[^ao]in|[^o]um|"
    r"[^a]im|[^e]am|[^ao]id|[^eo]ad|[^o]od|[^ao]ud|[^aeo]il|[^e]al|[^o]ul|[bcdfgkptz]l|[^aeiou][aiou]k|[^e]ap|[^aeiou]yp|[^u]on(?<!ion)(?<!on)|eg)"
)
_SHORT = re.compile(r"[^aeiou]*[aeiouy][^aeiouwxy]")
_KNOWN_IED = {"died": "die", "lied": "lie", "tied": "tie", "untied": "untie"}


def base_of_past(word: str) -> str:
    """Return the base form of a past in lower case, "" for another word."""
    if word in _PAST:
        return _PAST[word]
    if not word.endswith("ed") or len(word) < 4 or _NO_PAST.fullmatch(word):
        return ""
    if word.endswith("ied"):
        return _KNOWN_IED.get(word, word[:-3] + "y")
    stem = word[:-2]
    if stem.endswith("e") or stem in _WITH_E:
        return stem + "e"
    if stem in _NO_E or stem in _BASES:
        return stem
    if stem in _ELL or _DOUBLED.fullmatch(stem):
        return stem[:-1]
    return stem + "e" if _E_AT_END.fullmatch(stem) or _SHORT.fullmatch(stem) else stem


def base_of_third(word: str) -> str:
    """Return the base form of a known verb's third person in lower case, "" for another word."""
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        base = word.removesuffix(ending) + instead
        hisses = ending != "es" or base.endswith(("s", "sh", "ch", "x", "z", "o"))
        if word.endswith(ending) and base in _BASES and hisses:
            return base
    return ""


def is_base(word: str) -> bool:
    """Say whether a word in lower case is the base form of a known verb."""
    return word in _BASES


def is_participle(word: str) -> bool:
    """Say whether a word in lower case may be a past participle."""
    return word in _PARTICIPLES or bool(word.endswith("ed") and not _NO_PAST.fullmatch(word))


def is_only_past(word: str) -> bool:
    """Say whether a word in lower case is a past and never a participle."""
    return word in _PAST_ONLY
