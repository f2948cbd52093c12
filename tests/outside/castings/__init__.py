"X-ray pictures of castings: a field from outside, with its question, profile, report and words."
from pathlib import Path

from mic_eval.core.fields import Field

here = Path(__file__).parent

FIELD = Field(
    "castings", "X-ray pictures of castings", unit="image", classes=("sound", "cracked"),
              dangerous="a crack that is not seen",
    groups=("mould",), by=("mould",), headline=("cracks.overall.sensitivity", "cracks.overall.specificity"),
    profile=str(here / "release.yml"), report=str(here / "cracks.ipynb"), titles=dict(sensitivity="Cracks found"),
    questions=("castings.questions",), marks=("alloy",),
              words=dict(zh={"Cracks found": "检出的裂纹", "X-ray pictures of castings": "铸件X光片"}))
