"""Tasks of the user guide nearest to a question. `static/site.js` does the same on the search page."""
import math
import re
from pathlib import Path
import yaml

FILLERS = set("a an and the of for to in on at is it my i do does how what with from by or as be can need want get"
              .split())


def tasks():
    "All tasks, each with its section"
    said = yaml.safe_load((Path(__file__).parent / "tasks.yml").read_text(encoding="utf-8"))
    return [t | dict(section=s["section"]) for s in said for t in s["tasks"]]


def words(text):
    "Lower-case words without fillers and plurals, and pairs of Chinese characters"
    found = []
    for w in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]+", text.lower()):
        if w[0] > "\u4dff": found += [w[i:i+2] for i in range(len(w)-1)] or [w]
        elif w not in FILLERS: found.append(w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w)
    return found


def found(question, listed=None):
    "Tasks by how rare the words are that they share with the question; a word of the title counts twice"
    listed = listed or tasks()
    titles = [set(words(t["en"] + " " + t["zh"])) for t in listed]
    others = [set(words(t["words"])) for t in listed]
    asked = list(dict.fromkeys(words(question)))
    def rare(held): return math.log(1 + len(listed)/(1 + sum(map(held, range(len(listed))))))
    scores = [0.]*len(listed)
    for w in asked:
        whole = rare(lambda i: w in titles[i] or w in others[i])
        for i in range(len(listed)):
            if w in titles[i]: scores[i] += 2*whole
            elif w in others[i]: scores[i] += whole
            elif len(w) > 4 and any(o.startswith(w[:5]) for o in titles[i] | others[i]): scores[i] += whole/2
    order = sorted(range(len(listed)), key=lambda i: -scores[i])
    return [listed[i] for i in order if scores[i] > 0]
