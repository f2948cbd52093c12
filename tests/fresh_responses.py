"""Responses in wordings that the readers had not been made beside: templates written in one go, filled by chance.

When they were first read, 314 of 346 draws of the first part were right and 1 wrong, and 150 of 204 of the second, with
10 wrong; the readers were mended then, so that these figures say nothing of the next wordings.
"""
import random

SETS = (
    dict(A="心脾两虚证", B="肝阳上亢证", C="痰湿中阻证", D="瘀血阻络证", E="肾精不足证"),
    dict(A="四物汤", B="归脾汤", C="半夏白术天麻汤", D="通窍活血汤", E="左归丸"),
    dict(A="足三里", B="三阴交", C="太冲", D="内关", E="合谷"),
    dict(A="清热解毒", B="活血化瘀", C="温经散寒", D="补气养血"))

SEVERAL = r"""从病机看，本例当辨为{t}，对应选项{l}。
参考答案：{j}。
标准答案为{l}（共{n}项）。
【答案】{l}
〖答案〗{j}
答：{l}。
答：选{l}
解：{l}
我的选择是：{l}
本题选{l}四字不赘述。
这道多选题的答案应当是{l}，理由如下。
结论：{l}成立。
结论：{l}成立，{w}不成立。
因此{l}是对的，{w}是错的。
{l}为正确答案
{l}均为正确答案，其余为干扰项。
符合题干描述的是{l}。
符合题意的有：{lt}。
与题干相符者为{t}。
能选的只有{l}。
最合适的组合是{l}。
我会选择 {spaced} 这几项。
答案应该包含{l}这{n}个选项。
综合考虑，{lt}都应该选。
综上，应选择{lt}。
综上所述，{l}项均符合题意，故答案选{j}。
逐项分析：\n{lines_v}\n所以答案是{l}。
逐项判断如下：\n{lines_r}
{lines_v}
{pairs}
选：{l}；不选：{w}。
√：{l}　×：{w}
正确：{l}\n错误：{w}
对：{l}；错：{w}
**正确选项：** {l}
**最终答案**：**{j}**
### 答案\n{l}
## 结论\n\n**{l}**
答案\n\n{j}
Answer: {comma}
Final answer: {comma}
The answer is {eand}.
Options {eand} are correct.
I would choose {comma}.
\[ \boxed{{\text{{{j}}}}} \]
$\boxed{{{comma}}}$
{{"answer": "{comma}", "confidence": 0.9}}
{{"选项": ["{q}"], "理由": "符合病机"}}
{{"correct_options": ["{q}"]}}
```json\n{{"answer": "{j}"}}\n```
<answer>{j}</answer>
<think>先看{w}，似乎也可以。但不符合。</think>\n\n{l}
<think>也许是{w}。</think>答案是{l}。
虽然{w}也常见，但本题中应选{l}。
{w}看似合理，实则与题意不符；正确答案为{l}。
排除{w}之后，剩下{l}，所以选{l}。
首先排除{w}，余下的{l}即为答案。
很多同学会误选{w}，其实正确答案是{l}。
易错点在于{w}，它们不属于本题答案。本题答案：{l}。
经过分析，我认为{l}正确；至于{w}，则与脉象不合。
{l}（其中{first}最为关键）
答案：{l}。注意：{wfirst}虽与之相近，但并非本题所问。
答案：{l}。{wfirst}项错在病位不符。
答案为{l}，请参考。
您好！根据您提供的信息，正确选项是{l}。祝学习顺利！
答案: {comma}
答案：{semi}
答案：{dots}
答案：{slash}
答案：（{j}）
答案：【{l}】
答案：“{l}”
答案：{low}
选{first}和其他正确项{rest}，即{l}。
{bul}
{num}
{star}
第一步：辨证。第二步：选项比对。第三步：得出答案——{l}。
依据教材，{t}属于本病常见证型，故选{j}。
应选用{t}。
{t}
本病可见{t}，不见{wt}。
{t}符合，{wt}不符合。
答案{j}
答案{l}
选{j}
应选：{j}
故{j}正确。
故本题答案：{j}
故正确答案为{l}项。
所以，选项{l}是本题的正确答案。
所以正确的选项组合为：{plus}
正確答案是{l}。
本題應選{l}。
我首先想到{wfirst}，但它不对。最终我选择{l}。
答案：{wfirst}。更正一下，应为{l}。
答案是{wfirst}、{first}？不，应该是{l}。
抱歉，之前的答案有误，正确答案是{l}。
据此，{l}三者（或两者）为所求。
正确项：{l}；干扰项：{w}。
综合以上，{l}入选。
{l}入选，{w}落选。
选项{l}符合病机，其他不符合。
本题正确选项共{n}个：{l}。
该患者证属{t}，故应选{l}。
符合“久病入络”的证型是{t}。
故答案选择{l}选项。
本人作答：{l}
作答结果：{j}
我的答案：{comma}
最终选择：{semi}
最终选择为【{j}】
经综合判断，选取{l}。
选取{l}作为答案。
正确的是{l}，错误的是{w}。
错误的是{w}，正确的是{l}。
{w}与题意无关，{l}与题意相关，故选{l}。
{first}选项：正确。其余请看：\n{lines_v}
判断结果\n{lines_r}
| 选项 | 结论 |\n|:-:|:-:|\n{tab}
<b>答案：</b>{l}
答案 => {l}
答案→{j}
[{comma}]
({comma})
《答案》{l}
考点：辨证。答案：{j}。难度：中。
题目要求选出所有正确项，因此选{l}。
首先{first}肯定对；{rest}也对；{w}不对。答案{j}。
这里{l}都可以，{w}不可以。
{l}，没有别的。
只有{l}符合题意。
只选{l}。
{l}当选。
{l}不合适吗？不，{l}正是答案。
我认为应该选择的选项有：{l}。
个人认为选{l}比较稳妥。
大概是{l}。
因此，本题的答案锁定为{l}。
因此可以确定{l}为本题答案。
答案应选{t}这{n}项。
Correct answers: {comma}
Correct: {comma}. Incorrect: the rest.
The answers are {eand}, because they fit.
Therefore, {eand} are the correct choices.
So I'd go with {comma}.""".split("\n")

ONE = r"""参考答案：{a}。
【答案】{a}
答：{a}。
答：本题选{a}。
解：{a}
{a}，因为{ta}最符合题干。
{a}项。
{a}.
({a})
「{a}」
选{a}项，{ta}。
答案选项为{a}
选项{a}是正确的。
{a}是最佳答案。
应辨为{ta}，故选{a}。
{ta}
本例当属{ta}。
本题答案应为{ta}（选项{a}）。
最可能的选项是{a}，即{ta}。
{w}均可排除，故选{a}。
{w}都不对，剩下{a}。
排除法：{w}皆不符合题意，因此答案是{a}。
A-E中只有{a}符合题意。
五个选项里，{a}最贴切。
正确答案：{a}（{ta}）。
正确答案是{a}而不是{b}。
不是{b}，而是{a}。
答案不是{b}，应为{a}。
初步考虑{b}，再审题后改选{a}。
虽然{b}也有一定道理，但{a}更合适。
与{b}相比，{a}更符合，因此选{a}。
若伴口苦则选{b}，但题中没有，故选{a}。
答案：{b}？不对，题干无此表现。答案：{a}。
Answer: {a}
The correct option is {a}.
The best answer is ({a}) {ta}.
I choose option {a}.
So the answer is **{a}**.
\boxed{{{a}}}
$$\boxed{{\text{{{a}}}}}$$
{{"answer": "{a}"}}
{{"答案": "{a}", "解析": "{b}不符合"}}
<answer>{a}</answer>
<think>是{b}吗？</think>{a}
### 答案：{a}
## 最终答案\n\n**{a}. {ta}**
**{a}**
答案\n{a}
答案：\n\n{a}、{ta}
解析：{b}项错误。{c}项错误。故选{a}。
{a}。解析：{b}为常见误选项。
答案：{a}。解析：{b}项{tb}，多见于其他病证；{c}项{tc}，与题意不符。
{a}\n\n解析：本题考查辨证，{b}和{c}均不正确。
我选择{a}，但不完全确定。
我认为是{a}吧。
应该是{a}。
答案为：{low}
選{a}
正確答案：{a}
您好，这道题的答案是{a}，希望对您有帮助。
根据以上分析，{a}选项（{ta}）最为恰当。
故本题的正确答案是{a}选项。
因此，{ta}是正确的答案。
本人作答：{a}
作答结果：{a}
答案→{a}
答案 => {a}
<b>答案：</b>{a}
只有{a}符合题意。
只选{a}。
{a}当选。
据此选{a}。
据此应辨为{ta}。
本题的答案锁定为{a}。
可以确定{a}为本题答案。
{a}，没有别的。
最终选择为【{a}】
我的答案：{a}
考点：辨证。答案：{a}。难度：中。
{b}虽可见头晕，但脉不合；{a}脉症俱合。故选{a}。
故应诊断为{ta}，而非{tb}。
诊断：{ta}。
辨证结论：{ta}
证属{ta}，选{a}。
{b}、{c}不对，{a}对。
{b}错，{c}错，{a}对。
题眼在脉象，{a}项符合，其余不符合。
答案是{a}，不是{b}。
答案是{a}，{b}是干扰项。
答案：{a}。{b}和{c}为什么不对？因为病位不符。
原来我选{b}，现在改为{a}。
{b}？不对。{c}？也不对。应是{a}。
我倾向于{a}。
更倾向于{a}选项。
选择题答案：{a}
第1题：{a}
1. {a}
1、{a}
Q: 见上\nA: {a}
So, {a}.
Correct answer: {a}. {ta}
The correct choice would be {a}.
Option {a} is correct because it fits.
({a}) is right, ({b}) is wrong.
Not {b} but {a}.""".split("\n")

NOTHING = """{a}和{b}都有可能，难以确定。
可能是{a}，也可能是{b}。
信息不足，无法判断选{a}还是{b}。
本题没有正确选项。
以上选项均不正确。
我不能提供医疗建议，请咨询医生。
这道题考查的是脏腑辨证。
{a}错误。
不选{a}。
{a}和{b}
为什么不选{a}呢？
请问您要我在{a}、{b}、{c}中选哪一个？
{a}比{b}更合适吗？
{a}、{b}、{c}都有道理。
选{a}的人很多，但我不确定。
有人选{a}，有人选{b}。
老师说选{a}，可我觉得不一定。
如果脉细，选{a}；如果脉弦，选{b}。
答案可能是{a}或{b}。
我不会做这道题。
不选{a}，也不选{b}。
本题缺少脉象，无法在{a}和{b}之间取舍。
{a}与{b}的区别在于病位。
选项{a}的含义是{ta}。""".split("\n")


def lines(options, right, yes, no):
    "A line an option, with what is said of those that are right and of the others"
    return "\n".join((yes if k in right else no).format(k=k, t=t) for k, t in options.items())


def filled(way, o, right, rng):
    "A response that says these letters"
    rest = [k for k in o if k not in right]
    b, c = rng.sample(rest, 2) if len(rest) > 1 else rest*2
    last = right[-1]
    every = dict(
        l="、".join(right), j="".join(right), low="".join(right).lower(), spaced=" ".join(right),
        comma=", ".join(right), semi="；".join(right), dots="·".join(right), slash="/".join(right),
        plus="+".join(right), q='", "'.join(right), eand=f"{', '.join(right[:-1])} and {last}",
        n="一二三四五"[len(right)-1], first=right[0], wfirst=rest[0], rest="、".join(right[1:]), w="、".join(rest),
        t="、".join(o[k] for k in right), wt="、".join(o[k] for k in rest),
        lt="、".join(f"{k}（{o[k]}）" for k in right),
        lines_v=lines(o, right, "{k}. {t}：与题意相符，正确。", "{k}. {t}：与题意不符，错误。"),
        lines_r=lines(o, right, "{k}项{t}——应选", "{k}项{t}——不应选"),
        tab=lines(o, right, "| {k} | 对 |", "| {k} | 错 |"),
        pairs="，".join(f"{k}{'对' if k in right else '错'}" for k in o),
        bul="\n".join(f"• {k}. {o[k]}" for k in right), star="\n".join(f"* {k}：{o[k]}" for k in right),
        num="\n".join(f"{i}. {k}（{o[k]}）" for i, k in enumerate(right, 1)))
    one = dict(a=last, b=b, c=c, ta=o[last], tb=o[b], tc=o[c])
    return way.replace("\\n", "\n").format(**every | one)


def fresh_responses(seed):
    "`(options, response, whether several may be chosen, letters)`, one a template"
    rng = random.Random(seed)
    for ways, several, some in ((SEVERAL, True, True), (ONE, False, True), (NOTHING, False, False)):
        for way in ways:
            o = rng.choice(SETS)
            right = sorted(rng.sample(list(o), rng.choice((2, 2, 3)) if several else 1))
            yield o, filled(way, o, right, rng), several, "".join(right) if some else ""
