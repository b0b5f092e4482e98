// Colours for CUDA C++: spans for comments, literals, keywords and the names of CUDA. It reads line by line.

const KEYWORDS =
    "alignas auto bool break case char class const constexpr continue default delete do double else enum explicit extern " +
    "false float for if inline int long namespace new noexcept nullptr operator private public return short signed " +
    "sizeof static static_cast reinterpret_cast static_assert struct switch template this true typename union unsigned " +
    "using void volatile while";
const SYNTAX = [
  ["comment", String.raw`\/\/.*|\/\*.*?(?:\*\/|$)`],
  ["string", String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'|<[\w\/.]+>$`],
  ["keyword", String.raw`^\s*#\s*\w+|\b(?:${KEYWORDS.replace(/ /g, "|")})\b`],
  ["cuda", String.raw`\b__\w+|\bcuda\w+|\b(?:thread|block)Idx\b|\b(?:block|grid)Dim\b|\bdim3\b|<<<|>>>`],
  ["literal", String.raw`\b(?:0[xX][\da-fA-F']+|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?)[uUlLfFzZ]*\b`],
];
const TOKEN = new RegExp(SYNTAX.map(([name, pattern]) => `(?<${name}>${pattern})`).join("|"), "g");

// Returns the nodes of each line.
function highlighted(lines) {
  let inComment = false;
  return lines.map((text) => {
    const nodes = [];
    const add = (name, part) => {
      const span = document.createElement("span");
      span.className = `token-${name}`;
      span.textContent = part;
      nodes.push(name ? span : part);
    };
    let from = 0;
    if (inComment) {
      const end = text.indexOf("*/");
      from = end < 0 ? text.length : end + 2;
      inComment = end < 0;
      add("comment", text.slice(0, from));
    }
    TOKEN.lastIndex = from;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
      if (match.index > from) add("", text.slice(from, match.index));
      const [name] = Object.entries(match.groups).find(([, part]) => part !== undefined);
      add(name, match[0]);
      from = TOKEN.lastIndex;
      inComment = match[0].startsWith("/*") && !match[0].endsWith("*/");
    }
    if (from < text.length || !text) add("", text.slice(from) || " ");
    return nodes;
  });
}
