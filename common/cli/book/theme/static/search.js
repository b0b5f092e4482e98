// The search page. Its index, window.workbookSections, is a script (see search_index.py), so it works from a file too.
"use strict";

{
  const most = 20;
  const few = 10;
  const excerptLength = 240;
  const titles = new Map(window.workbookSections.map(([page, [title]]) => [page, title]));
  // The title of the page, after the title of its chapter or folder.
  function where(page) {
    const title = titles.get(page);
    const folder = /^Chapter/.test(title) ? title : titles.get(page.replace(/[^/]*$/, "index.html")) || title;
    return [...new Set([folder, title])];
  }
  const sections = window.workbookSections.flatMap(([page, ...entries]) =>
    entries.map(([title, anchor, text, other]) => {
      const around = where(page).filter((one) => one !== title).join(" › ");
      return { page: around, title, text, other, address: `${page}#${anchor}` };
    }),
  );
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Without the endings of English words: "conflicts" finds "conflict", and "coalescing" finds "coalesced".
  const stem = (word) => word.replace(/^(\p{L}{4,}?)(?:ing|ed|es|s|e)$/u, "$1");
  const count = (pattern, text) => (text.match(pattern) || []).length;

  // A word matches where a word starts: "race" does not find "trace". Anywhere: "Memcpy" finds "cudaMemcpy" too.
  function patternOf(word, anywhere) {
    const before = anywhere || /^[^\p{L}\p{N}]/u.test(word) ? "()" : "(^|[^\\p{L}\\p{N}])";
    return new RegExp(`${before}(${escaped(stem(word))}[\\p{L}\\p{N}]*)`, "giu");
  }

  // 0 if a word is missing, or if only the page's title has the words.
  function score(section, patterns, query) {
    const own = patterns.map((one) => {
      const title = count(one, section.title) && 100 + 400 / section.title.length; // a short title says more
      return title + 2 * Math.min(count(one, section.text), 5) + (count(one, section.other) && 1);
    });
    if (!own.some(Boolean) || own.some((points, word) => !points && !count(patterns[word], section.page))) return 0;
    const phrase = (text) => text.toLowerCase().includes(query);
    return own.reduce((sum, points) => sum + points, phrase(section.title) ? 50 : phrase(section.text) && 15);
  }

  function search(typed) {
    const query = typed.trim().toLowerCase().replace(/\s+/g, " ");
    for (const anywhere of query ? [false, true] : []) {
      const patterns = query.split(" ").map((word) => patternOf(word, anywhere));
      const scored = sections.map((section) => ({ ...section, score: score(section, patterns, query) }));
      const found = scored.filter((section) => section.score).sort((a, b) => b.score - a.score);
      if (anywhere || found.length > few) return { patterns, found };
    }
    return { patterns: [], found: [] };
  }

  // The first and last position of each match in a text, in order.
  function places(patterns, text) {
    const all = patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match) => {
        const from = match.index + match[1].length;
        return { pattern, from, to: from + match[2].length };
      }),
    );
    return all.sort((a, b) => a.from - b.from);
  }

  // The part of the text with the most of the words.
  function excerpt(patterns, text) {
    const all = places(patterns, text);
    const room = 0.7 * excerptLength;
    const near = (from) =>
      new Set(all.filter((one) => one.from >= from && one.to < from + room).map((one) => one.pattern));
    const best = Math.max(...all.map(({ from }) => near(from).size));
    const first = (all.find(({ from }) => near(from).size === best) || { from: 0 }).from;
    const from = first < room ? 0 : text.indexOf(" ", first - 60) + 1;
    const end = from + excerptLength >= text.length ? text.length : text.lastIndexOf(" ", from + excerptLength);
    return (from ? "… " : "") + text.slice(from, end) + (end < text.length ? " …" : "");
  }

  function add(parent, name, text, patterns = []) {
    const element = document.createElement(name);
    let end = 0;
    for (const { from, to } of places(patterns, text)) {
      if (from < end) continue;
      element.append(text.slice(end, from));
      add(element, "mark", text.slice(from, to));
      end = to;
    }
    element.append(text.slice(end));
    parent.append(element);
    return element;
  }

  const box = document.querySelector(".book-search input");
  const list = document.getElementById("search-results");

  function show() {
    const { patterns, found } = search(box.value);
    list.replaceChildren();
    for (const section of found.slice(0, most)) {
      const item = add(list, "li", "");
      add(item, "a", section.title, patterns).href = section.address;
      if (section.page) add(item, "span", section.page);
      add(item, "p", excerpt(patterns, section.text), patterns);
    }
    const none = box.value.trim() ? "No section has all of these words." : "";
    const number = found.length > most ? `The best ${most} of ${found.length} sections:` : `Found in ${found.length}:`;
    document.getElementById("search-status").textContent = found.length ? number : none;
  }

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
    const stops = [box, ...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && stops[stops.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
