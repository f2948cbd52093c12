"What `show_doc` writes, also for types that are imported late and for defaults that are arrays."
import inspect

import fastcore.docments as docments
import numpy as np
from nbdev.showdoc import BasicMarkdownRenderer

signature_ex = docments.signature_ex


class ndarray(str):
    "An array as a signature shows it"
    def __repr__(self): return str(self)


def short(s):
    "A signature whose defaults can be compared"
    show = lambda d: ndarray(np.array2string(d, threshold=5, edgeitems=2, separator=", ")) if isinstance(d,
        np.ndarray) else d
    return s.replace(parameters=[p.replace(default=show(p.default)) for p in s.parameters.values()])


def signature(f, **kwargs):
    "Like `inspect.signature`; annotations that cannot be evaluated stay text"
    try: return short(inspect.signature(f, eval_str=True))
    except NameError: return short(inspect.signature(f))


docments.signature = signature   # fastcore evaluates every annotation and compares every default
docments.signature_ex = lambda f, eval_str=False: short(signature_ex(f, eval_str))


class Doc(BasicMarkdownRenderer):
    "The renderer that settings.ini names"
    def _repr_markdown_(self): return super()._repr_markdown_().replace(":NoneType=", "=")
