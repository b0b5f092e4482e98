// Colours for CUDA C++: spans for comments, literals, keywords and the names of CUDA. It reads line by line.

const KEYWORDS = `alignas auto bool break case char class const constexpr continue default delete do double else enum
    explicit extern false float for if inline int long namespace new noexcept nullptr operator private public return
    reinterpret_cast short signed sizeof static static_assert static_cast struct switch template this true typename
    union unsigned using void volatile while`.split(/\s+/);
const SYNTAX = [
  ["comment", String.raw`\/\/.*|\/\*.*?(?:\*\/|$)`],
  ["string", String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'|<[\w\/.]+>$`],
  ["keyword", String.raw`^\s*#\s*\w+|\b(?:${KEYWORDS.join("|")})\b`],
  ["cuda", String.raw`\b__\w+|\bcuda\w+|\b(?:thread|block)Idx\b|\b(?:block|grid)Dim\b|\bdim3\b|<<<|>>>`],
  ["literal", String.raw`\b(?:0[xX][\da-fA-F']+|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?)[uUlLfFzZ]*\b`],
];
const TOKEN = new RegExp(SYNTAX.map(([name, pattern]) => `(?<${name}>${pattern})`).join("|"), "g");

function token(name, text) {
  const span = document.createElement("span");
  span.className = `token-${name}`;
  span.textContent = text;
  return span;
}

// Returns the nodes of each line.
function highlighted(lines) {
  let inComment = false;
  return lines.map((text) => {
    const end = inComment ? text.indexOf("*/") : 0;
    let from = !inComment ? 0 : end < 0 ? text.length : end + 2;
    const nodes = from ? [token("comment", text.slice(0, from))] : [];
    inComment = end < 0;
    TOKEN.lastIndex = from;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
      const [name] = Object.entries(match.groups).find(([, part]) => part !== undefined);
      nodes.push(text.slice(from, match.index), token(name, match[0]));
      from = TOKEN.lastIndex;
      inComment = match[0].startsWith("/*") && !match[0].endsWith("*/");
    }
    return [...nodes, text.slice(from) || (nodes.length ? "" : " ")];
  });
}
