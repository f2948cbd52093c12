// What Sphinx's search thinks of a result: pages for people who use the package come before those of who makes it.
var Scorer = {
  score: result => {
    const [page, , , , score] = result;
    if (/^(benchmarks|changelog|contents|explanations\/design_documents)/.test(page)) return score - 40;
    if (/^(how_to|tutorials|explanations|reports|index)/.test(page)) return score + 6;
    if (/^(core|run|report|gate|cli)\//.test(page)) return score - 10;
    return score;
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
