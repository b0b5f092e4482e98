// What a reader types as an answer, and whether it is right: as in ./workbook predict, whose rules are in
// exercises/typed_answers.py and exercises/predictions.py. A test puts the same answers to both.
"use strict";

const workbookAnswers = (() => {
  const digits = "(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)";
  const one = `(?:${digits}(?:\\.(?!\\.)[0-9]*)?|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?:\\s*\\^\\s*[0-9]+)?`;
  const number = new RegExp(`^([-+]?)\\s*(${one}(?:\\s*[*/]\\s*${one})*)\\s*([^]*)$`);
  const about = /^(?:~|about|around|roughly|ca\.?|=)\s*/i;
  const range = /^(?:-|–|\.\.+|to\b|or\b|and\b|,)\s*[0-9.][^]*$/;
  const compared = /^(?:[<>]|(?:less|more|at (?:most|least)|under|over|between|from)\b)/i;
  const prefix = /^([kKMGTmun])i?(?:[bB](?:ytes?)?)?$/;

  const shown = (text) => (text.trim().length <= 40 ? text.trim() : `${text.trim().slice(0, 40)}...`);

  function isUnit(rest, unit) {
    const [typed, asked] = [rest.toLowerCase(), unit.toLowerCase()];
    if (asked === "times") return ["x", "times", "fold", "-fold"].includes(typed);
    if (asked === "%") return ["%", "percent", "per cent"].includes(typed);
    return asked !== "" && typed.replace(/s+$/, "") === asked.replace(/s+$/, "");
  }

  function aboutUnit(typed, rest, unit) {
    const found = prefix.exec(rest);
    if (found && "kKMGT".includes(found[1])) {
      return `'${typed}': ${rest} may be a power of 1000 or of 1024. Write the number out.`;
    }
    return `'${typed}': the answer is ${unit ? `asked in ${unit}` : "a number without a unit"}. Type the number alone.`;
  }

  function power(text) {
    const [base, exponent] = text.replace(/,/g, "").split("^");
    return Number(base) ** (exponent === undefined ? 1 : Number(exponent));
  }

  function valueOf(terms) {
    const parts = terms.split(/\s*([*/])\s*/);
    let value = power(parts[0]);
    for (let i = 1; i < parts.length; i += 2) {
      const next = power(parts[i + 1]);
      value = parts[i] === "*" ? value * next : value / next;
    }
    return value;
  }

  // {value}, or {problem} in words for what is no number.
  function typedNumber(text, unit) {
    const typed = text.trim().replace(about, "");
    const words = shown(text);
    const isRange = { problem: `'${words}' is a range. Give one number: the one you think most likely.` };
    if (compared.test(typed)) return isRange;
    const found = number.exec(typed);
    if (!found) return { problem: `'${words}' is no number. Type one, such as 12, 0.5 or 3 * 4.` };
    const rest = found[3].trim();
    if (/^,[0-9]{1,2}$/.test(rest)) return { problem: `'${words}': write a point in place of the comma.` };
    if (range.test(rest)) return isRange;
    if (rest && !isUnit(rest, unit)) return { problem: aboutUnit(words, rest, unit) };
    const value = valueOf(found[2]);
    if (!Number.isFinite(value)) return { problem: `'${words}' is no number that can be computed.` };
    return { value: found[1] === "-" ? -value : value };
  }

  function isRight(typed, { value, share, factor, rounding }) {
    if (factor > 1) return value / factor <= typed && typed <= value * factor;
    return Math.abs(typed - value) <= (share * Math.abs(value) || rounding) + 1e-9 * Math.abs(value);
  }

  return { typedNumber, isRight };
})();
