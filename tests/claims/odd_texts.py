"""Texts that are no speech in English, and the words of the remark on each."""

SUBTITLES = """1
00:00:01,000 --> 00:00:03,000
MAYOR: We built 400 homes in 2022.

2
99:99:99,000 --> banana
It cost 340 million pounds.

3
-->
Nobody came.
"""
ODD = {
    "german.txt": ("Wir haben vierhundert Wohnungen gebaut. Das ist gut so. " * 9, "German"),
    "lyrics.txt": ("[Chorus]\nHold me, hold me, hold me now\nOoh-ooh yeah\n" * 9, ""),
    "code.txt": ("def f(x):\n    return {k: v for k, v in x.items()}\n" * 30, ""),
    "one.txt": ("people want homes " * 1667 + "now.", ""),
    "broken.srt": (SUBTITLES, "2 lines"),
    "names.txt": ("<script>alert(1)</script>: We won 40 seats.\n\u202eEVE <b>\u202c: It cost 4 pounds.\n", ""),
}
