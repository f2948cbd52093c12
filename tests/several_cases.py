"Three hundred labelled responses to questions with several right options: drawn templates, and lines by hand."

import json
import random

SPLEEN = dict(A="脾气虚证", B="胃阴虚证", C="脾肾阳虚证", D="肝郁脾虚证", E="寒湿困脾证")
HERBS = dict(A="黄芪", B="党参", C="附子", D="当归", E="防风")
WORDS = dict(A="健脾益气", B="滋阴养胃", C="温补脾肾", D="疏肝健脾", E="散寒燥湿")
SETS = SPLEEN, HERBS, WORDS
TRADITIONAL = str.maketrans("证阴阳郁湿气虚胃黄党参归风健滋养温补疏", "證陰陽鬱濕氣虛胃黃黨參歸風健滋養溫補疏")

# {l}: letters with 、; {j}: joined; {t}: texts with 、; {lt}: A（text）、...; {p}: A text；...
# {lines}: a line each; {w}: the others
WAYS = r"""答案：{lt}
答案是{l}。
正确选项包括：{l}
正确答案为{l}，其余不符合题意。
故选{j}。
综上所述，本题应选{l}。
{l}
{j}
**答案：{j}**
{p}
答案：{p}
正确的有{t}。
答案：{t}
本题考查脾胃病证的辨证。患者久病，需综合分析各项。因此正确答案是{l}。
{w}均错误，{l}正确。
{w}不符合题意，应排除，故答案为{l}。
不选{w}，选{l}。
{{"answer": ["{q}"]}}
{{"answer": "{j}"}}
{{"答案": ["{qt}"]}}
答案如下：\n{lines}
{lines}
正确选项：\n{bullets}
{verdicts}
{marks}
{table}
{tick}
{checks}
初看应选{first}，但仔细分析后发现不对，应改为{l}。
答案是{other}。等等，重新审题，正确答案应为{l}。
\boxed{{{j}}}
The correct answers are {l}.
我认为{l}是正确的，因为它们都符合辨证要点。
【答案】{j}【解析】{first}项符合题意。
选项{l}符合题意；选项{w}不符合题意。
答案：{and_}
最终答案：{spaced}
首先分析{first}选项：患者有相应表现。其次，{w}与病机不符。所以，选择{l}。
<think>可能是{other}？再想想</think>答案：{j}
{verdict_texts}""".split("\n")
TRAD_WAYS = ("正確選項：{t}", "答案：{lt}", "應選{p}")
NOTHING = (
    "{a}或{b}",
    "答案：{a}或者{b}，不能确定。",
    "抱歉，我无法回答。",
    "这道题需要结合临床具体分析。",
    "答案：{a}、{b}。以上答案有误，{a}错误。",
    "答案是{a}、{b}。\n答案是{a}、{c}。",
    "如果选{a}、{b}，则与题意不符。",
    "",
    "错误的选项是哪几个？",
    "{a}正确，但{a}也错误。",
)
BY_HAND = [  # options, response, letters (empty: none may be read)
    (SPLEEN, "A× B√ C× D√ E×", "BD"),
    (SPLEEN, "×A √B ×C √D ×E", "BD"),
    (SPLEEN, "A、B、D、E均错误", "C"),
    (SPLEEN, "A；C", "AC"),
    (SPLEEN, "A;C;", "AC"),
    (SPLEEN, "**A**、**C**", "AC"),
    (SPLEEN, "A 脾气虚证；C 脾肾阳虚证", "AC"),
    (SPLEEN, "A.脾气虚证 C.脾肾阳虚证", "AC"),
    (SPLEEN, "（A）（C）", "AC"),
    (SPLEEN, "A,C,D", "ACD"),
    (SPLEEN, "Ａ、Ｃ", "AC"),
    (SPLEEN, "a、c", "AC"),
    (SPLEEN, "答案：ac", "AC"),
    (SPLEEN, "选择A和C", "AC"),
    (SPLEEN, "A与C均正确", "AC"),
    (SPLEEN, "A、C两项正确", "AC"),
    (SPLEEN, "A、C、D三项均符合题意，B、E不符合。", "ACD"),
    (SPLEEN, "除B外均正确", "ACDE"),
    (SPLEEN, "除了B、E以外，其他选项都正确。", "ACD"),
    (SPLEEN, "以上都正确", "ABCDE"),
    (SPLEEN, "全选", "ABCDE"),
    (SPLEEN, "ABCDE", "ABCDE"),
    (SPLEEN, "答案：ABCDE（全选）", "ABCDE"),
    (SPLEEN, "A：对；B：错；C：对；D：错；E：错", "AC"),
    (SPLEEN, "A对，B错，C对，D错，E错", "AC"),
    (SPLEEN, "A.正确\nB.错误\nC.正确\nD.错误\nE.错误", "AC"),
    (SPLEEN, "A. 脾气虚证 √\nB. 胃阴虚证 ×\nC. 脾肾阳虚证 √\nD. 肝郁脾虚证 ×\nE. 寒湿困脾证 ×", "AC"),
    (SPLEEN, "✅ A\n❌ B\n✅ C\n❌ D\n❌ E", "AC"),
    (SPLEEN, "- [x] A\n- [ ] B\n- [x] C\n- [ ] D\n- [ ] E", "AC"),
    (SPLEEN, "| 选项 | A | B | C | D | E |\n|---|---|---|---|---|---|\n| 判断 | √ | × | √ | × | × |", "AC"),
    (
        SPLEEN,
        (
            "| A | 脾气虚证 | 正确 |\n| B | 胃阴虚证 | 错误 |\n| C | 脾肾阳虚证 | 正确 |\n| D | 肝郁脾虚证 | 错误"
            " |\n| E | 寒湿困脾证 | 错误 |"
        ),
        "AC",
    ),
    (SPLEEN, '{"A": true, "B": false, "C": true, "D": false, "E": false}', "AC"),
    (SPLEEN, '```json\n{"answer": ["A", "C"]}\n```', "AC"),
    (SPLEEN, '["A", "C"]', "AC"),
    (SPLEEN, '{"answers": "A、C", "reason": "脾虚"}', "AC"),
    (SPLEEN, '{"reason": "B、D与题意不符", "answer": "A,C"}', "AC"),
    (SPLEEN, '{"answer":["B. 胃阴虚证","D. 肝郁脾虚证"]}', "BD"),
    (SPLEEN, "脾气虚证和脾肾阳虚证", "AC"),
    (SPLEEN, "脾气虚、脾肾阳虚", "AC"),
    (SPLEEN, "答案：脾气虚证、脾肾阳虚证。", "AC"),
    (SPLEEN, "患者应诊断为脾气虚证。其余各证均不支持。答案：A", "A"),
    (SPLEEN, "答案：A、C、D，不对，D错误，应为A、C。", "AC"),
    (SPLEEN, "答案是AB。更正：答案是AC。", "AC"),
    (SPLEEN, "先排除B、D，再看E也不对，因此答案为A和C。", "AC"),
    (SPLEEN, "错误选项：B、D、E。正确选项：A、C。", "AC"),
    (SPLEEN, "正确选项：A、C。错误选项：B、D、E。", "AC"),
    (SPLEEN, "A、C正确；B、D、E错误。", "AC"),
    (SPLEEN, "B、D、E为干扰项，正确的是A、C。", "AC"),
    (SPLEEN, "答案选AC，不选BDE", "AC"),
    (SPLEEN, "答案：A、C\n解析：A项脾气虚证符合；C项脾肾阳虚证符合；B项胃阴虚证不符合。", "AC"),
    (SPLEEN, "解析：A项符合，B项不符合，C项符合，D项不符合，E项不符合。\n答案：AC", "AC"),
    (SPLEEN, "答案：A C", "AC"),
    (SPLEEN, "答案：A/C", "AC"),
    (SPLEEN, "答案：A+C", "AC"),
    (SPLEEN, "1. A\n2. C", "AC"),
    (SPLEEN, "- A\n- C", "AC"),
    (SPLEEN, "* **A. 脾气虚证**\n* **C. 脾肾阳虚证**", "AC"),
    (SPLEEN, "答案为：A. 脾气虚证, C. 脾肾阳虚证", "AC"),
    (SPLEEN, "本题的正确答案有两个，分别是A和C。", "AC"),
    (SPLEEN, "正确答案：A（脾气虚证：神疲乏力，食少便溏）、C（脾肾阳虚证：五更泄泻）", "AC"),
    (SPLEEN, "选A，同时C也正确。", "AC"),
    (SPLEEN, "A是正确的，C也是正确的，其余错误。", "AC"),
    (SPLEEN, "我选A、C，但不选D。", "AC"),
    (SPLEEN, "A、B、C、D、E五个选项中，正确的是A、C。", "AC"),
    (SPLEEN, "在A、B、C、D、E中选择，应选B、D。", "BD"),
    (SPLEEN, "选项有A、B、C、D、E。分析后，答案为B、D。", "BD"),
    (SPLEEN, "可排除A、C、E，均不属于本证；故选B、D。", "BD"),
    (SPLEEN, "B与D", "BD"),
    (SPLEEN, "答案：B型肝炎无关，选B、D", "BD"),
    (HERBS, "黃耆、黨參", "AB"),
    (HERBS, "正確答案：黃芪、當歸", "AD"),
    (HERBS, "黄芪、党参、防风", "ABE"),
    (HERBS, "选用黄芪和当归，即A、D。", "AD"),
    (HERBS, "答案：A黄芪、B党参", "AB"),
    (HERBS, "应选黄芪（A）、当归（D）。", "AD"),
    (SPLEEN, "A或C", ""),
    (SPLEEN, "答案：A、C。其中C错误。", ""),
    (SPLEEN, "答案是A、C还是A、D不确定", ""),
    (SPLEEN, "A、B、C、D、E", "ABCDE"),
    (SPLEEN, "答案A：胃阴虚证", ""),
    (SPLEEN, "不知道", ""),
    (SPLEEN, "应选A、C吗？", ""),
]


def _table(right, o):
    return "| 选项 | 内容 | 判断 |\n|---|---|---|\n" + "\n".join(
        f"| {k} | {t} | {'√' if k in right else '×'} |" for k, t in o.items()
    )


def _filled(way, o, right, rng):
    rest = [k for k in o if k not in right]
    wrong = [k for k in o if k not in right][:1]+right[1:]
    return way.format(
        l="、".join(right),
        j="".join(right),
        t="、".join(o[k] for k in right),
        lt="、".join(f"{k}（{o[k]}）" for k in right),
        p="；".join(f"{k} {o[k]}" for k in right),
        lines="\n".join(f"{k}. {o[k]}" for k in right),
        bullets="\n".join(f"- {k}：{o[k]}" for k in right),
        w="、".join(rest),
        q='", "'.join(right),
        qt='", "'.join(f"{k}. {o[k]}" for k in right),
        first=rest[0],
        other="、".join(sorted(wrong)),
        and_="和".join(right),
        spaced=" ".join(right),
        tick="\n".join(f"{'√' if k in right else '×'} {k}. {t}" for k, t in o.items()),
        checks="\n".join(f"- [{'x' if k in right else ' '}] {k}. {t}" for k, t in o.items()),
        marks=" ".join(f"{k}{'√' if k in right else '×'}" for k in o),
        verdicts="；".join(f"{k}项{'正确' if k in right else '错误'}" for k in o),
        table=_table(right, o),
        verdict_texts="\n".join(f"{k}. {t}：{'符合' if k in right else '不符合'}" for k, t in o.items()),
    )

def several_cases(seed=0):
    "`(options, response, letters)`: 300 of them"
    rng, out = random.Random(seed), list(BY_HAND)
    ways = [w.replace("\\n", "\n") for w in WAYS]
    for way in ways+ways+ways+ways+ways:
        o = rng.choice(SETS)
        right = sorted(rng.sample(list(o), rng.choice((2, 2, 3, 4))))
        out.append((o, _filled(way, o, right, rng), "".join(right)))
    for way in TRAD_WAYS*3:
        o = rng.choice((SPLEEN, HERBS))
        right = sorted(rng.sample(list(o), rng.choice((2, 3))))
        out.append((o, _filled(way, {k: t.translate(TRADITIONAL) for k, t in o.items()}, right, rng), "".join(right)))
    for way in NOTHING*2:
        a, b, c = rng.sample("ABCDE", 3)
        out.append((rng.choice(SETS), way.format(a=a, b=b, c=c), ""))
    return out[:len(BY_HAND)+300-len(BY_HAND)] if len(out) >= 300 else out
