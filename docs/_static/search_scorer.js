// Scores of the search. Sphinx gives the same score to every page that has the words, and sorts equal ones by title.
var Scorer = {
  score: ([page, title, , description, score, , kind]) => {
    const isNamedSo = kind === "title" && !title.includes(" > "); // the words are the title of the page
    if (/^(benchmarks$|project\/)/.test(page) && !isNamedSo) return score - 14; // these pages mention everything
    if (kind === "object" && /^Python (attribute|property|method)/.test(description)) return score - 12;
    if (/^(start|install|choosing|data|tables|online|svm|models|server)$|^guide\//.test(page)) return score + 3;
    if (/^(api\/|gallery\/|coming-from\/)/.test(page)) return score;
    return score + 1;
  },

  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
