// The search page: finds sections in window.workbookSections, which the build writes (search_index.py). It works from a
// file too.
"use strict";

const workbookSearch = (() => {
  const most = 20;
  const excerptLength = 240;
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Endings of English words: "conflicts" finds "conflict", and "coalescing" finds "coalesced".
  const stem = (word) => word.replace(/^(\p{L}{4,}?)(?:ing|ed|es|s|e)$/u, "$1");

  // Words match where a word starts: "race" does not find "trace". Anywhere in words: "Memcpy" finds "cudaMemcpy".
  function patterns(words, anywhere) {
    return words.map((word) => {
      const before = anywhere || /^[^\p{L}\p{N}]/u.test(word) ? "()" : "(^|[^\\p{L}\\p{N}])";
      return new RegExp(`${before}(${escaped(stem(word))}[\\p{L}\\p{N}]*)`, "giu");
    });
  }

  const count = (pattern, text) => (text.match(pattern) || []).length;

  // 0 if a word is missing, or if only the page's title has the words.
  function score(section, found, query) {
    const points = found.map((pattern) => {
      const title = count(pattern, section.title) ? 100 : 0;
      const text = Math.min(count(pattern, section.text), 5) * 2 + (count(pattern, section.other) ? 1 : 0);
      return { own: title + text, page: count(pattern, section.page) ? 1 : 0 };
    });
    if (points.some(({ own, page }) => !own && !page) || points.every(({ own }) => !own)) return 0;
    const title = section.title.toLowerCase();
    const phrase = title.includes(query) ? 50 : section.text.toLowerCase().includes(query) ? 15 : 0;
    const exact = title === query ? 100 : 0;
    return points.reduce((sum, { own, page }) => sum + own + page, phrase + exact) / (1 + title.length / 1000);
  }

  function search(sections, typed) {
    const query = typed.trim().toLowerCase().replace(/\s+/g, " ");
    if (!query) return { found: [], results: [] };
    for (const anywhere of [false, true]) {
      const found = patterns(query.split(" "), anywhere);
      const scored = sections.map((section) => ({ section, score: score(section, found, query) }));
      const results = scored.filter((one) => one.score > 0).sort((a, b) => b.score - a.score);
      if (results.length || anywhere) return { found, results: results.map((one) => one.section) };
    }
  }

  // The first and last position of each match in a text.
  function places(found, text) {
    const all = found.flatMap((pattern, word) =>
      [...text.matchAll(pattern)].map((match) => {
        const from = match.index + match[1].length;
        return { word, from, to: from + match[2].length };
      }),
    );
    return all.sort((a, b) => a.from - b.from);
  }

  // The part of the text with the most of the words.
  function excerpt(found, text) {
    const all = places(found, text);
    const wordsFrom = ({ from }) =>
      new Set(all.filter((one) => one.from >= from && one.to < from + excerptLength * 0.7).map((one) => one.word)).size;
    const best = all.reduce((so_far, one) => (!so_far || wordsFrom(one) > wordsFrom(so_far) ? one : so_far), null);
    const wanted = best && best.from > excerptLength * 0.7 ? best.from - 60 : 0;
    const from = wanted && text.indexOf(" ", wanted) + 1;
    const end = from + excerptLength >= text.length ? text.length : text.lastIndexOf(" ", from + excerptLength);
    return (from ? "… " : "") + text.slice(from, end) + (end < text.length ? " …" : "");
  }

  function marked(element, found, text) {
    let end = 0;
    for (const { from, to } of places(found, text)) {
      if (from < end) continue;
      const mark = document.createElement("mark");
      mark.textContent = text.slice(from, to);
      element.append(text.slice(end, from), mark);
      end = to;
    }
    element.append(text.slice(end));
    return element;
  }

  function item(section, found) {
    const row = document.createElement("li");
    const link = marked(document.createElement("a"), found, section.title);
    link.href = section.address;
    row.append(link);
    if (section.page !== section.title) row.append(Object.assign(document.createElement("span"), { textContent: section.page }));
    row.append(marked(document.createElement("p"), found, excerpt(found, section.text)));
    return row;
  }

  function status(typed, number) {
    if (!typed.trim()) return "";
    if (!number) return `No section has all of these words: ${typed.trim()}`;
    return number > most ? `The best ${most} of ${number} sections:` : `${number} section${number === 1 ? "" : "s"}:`;
  }

  function start() {
    const box = document.querySelector(".book-search input");
    const list = document.getElementById("search-results");
    const sections = window.workbookSections.flatMap(([page, ...entries]) =>
      entries.map(([title, anchor, text, other]) => ({ page: entries[0][0], title, text, other, address: `${page}#${anchor}` })),
    );
    const show = () => {
      const { found, results } = search(sections, box.value);
      list.replaceChildren(...results.slice(0, most).map((section) => item(section, found)));
      document.getElementById("search-status").textContent = status(box.value, results.length);
    };
    box.value = new URLSearchParams(location.search).get("q") || "";
    show();
    // The address keeps the words, so that a reader comes back to these results.
    box.addEventListener("input", () => {
      show();
      history.replaceState(null, "", `?q=${encodeURIComponent(box.value)}`);
    });
    box.form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.focus();
    });
    document.querySelector("article").addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const stops = [box, ...list.querySelectorAll("a")];
      const next = stops[stops.indexOf(document.activeElement) + step];
      if (!step || !next) return;
      event.preventDefault();
      next.focus();
    });
  }

  return { search, start };
})();

workbookSearch.start();
