from .dilutions import (
    OPS as OPS, NO_MIC as NO_MIC, NA_WORDS as NA_WORDS, YES as YES, NO as NO, UNDECIDED as UNDECIDED,
    MISSING as MISSING, MIC as MIC, mic_text as mic_text, unparsable as unparsable, parse_mic as parse_mic,
    as_mic as as_mic, dilution_base as dilution_base, dilution_index as dilution_index,
    dilution_label as dilution_label, mic_interval as mic_interval, plot_intervals as plot_intervals,
    definitely_above as definitely_above, definitely_below as definitely_below, overlaps as overlaps,
    within as within, identical as identical, sort_key as sort_key,
)
