// Reads and checks a typed answer, as ./workbook predict does; its rules are in exercises/typed_answers.py and
// exercises/predictions.py. A test gives the same answers to both.
"use strict";

const workbookAnswers = (() => {
  const digits = "(?:[0-9]{1,3}(?:[,_ \u00a0\u202f][0-9]{3})+(?![0-9])|[0-9]+)";
  const decimalComma = "(?:0,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})(?![0-9,]))";
  const one =
    `(?:${decimalComma}|${digits}(?:\\.(?!\\.)[0-9]*)?|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?` +
    "(?:\\s*(?:\\^|\\*\\*)\\s*[0-9]+)?";
  const sign = "(?:\\s*[*/×·]\\s*|\\s+x\\s+)";
  const number = new RegExp(`^([-+]?)\\s*(${one}(?:${sign}${one})*)\\s*([^]*)$`);
  const comma = new RegExp(`^${decimalComma}`);
  const about = /^(?:~|≈|about|around|roughly|approximately|ca\.?|=)\s*/i;
  const range = /^(?:-|–|\.\.+|to\b|or\b|and\b|,)\s*[0-9.][^]*$/;
  const compared = /^(?:[<>]|(?:less|more|at (?:most|least)|under|over|between|from)\b)/i;
  const counts = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
  const inWords = {
    ...Object.fromEntries(counts.map((word, value) => [word, String(value)])),
    ...{ none: "0", half: "1/2", "a half": "1/2", "a third": "1/3", "a quarter": "1/4" },
    ...{ "a million": "1000000", "a thousand": "1000" },
  };
  const longestFirst = Object.keys(inWords).sort((a, b) => b.length - a.length);
  const firstWords = new RegExp(`^(?:${longestFirst.join("|")})\\b`, "i");
  const multipliers = { hundred: 1e2, thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 };
  const multiplier = new RegExp(`^(${Object.keys(multipliers).join("|")})\\b\\s*`, "i");
  const percents = ["%", "percent", "per cent"];
  const powers = new Map([["k", 1], ["K", 1], ["M", 2], ["G", 3], ["T", 4]]);
  const seconds = new Map();
  const unitsOfTime = [
    [1, "s", "sec", "secs", "second", "seconds"],
    [1e-3, "ms", "msec", "millisecond", "milliseconds"],
    [1e-6, "us", "\u00b5s", "\u03bcs", "usec", "microsecond", "microseconds"],
    [1e-9, "ns", "nsec", "nanosecond", "nanoseconds"],
  ];
  for (const [value, ...names] of unitsOfTime) names.forEach((name) => seconds.set(name, value));

  const shown = (text) => (text.trim().length <= 40 ? text.trim() : `${text.trim().slice(0, 40)}...`);

  function isUnit(rest, unit) {
    const [typed, asked] = [rest.toLowerCase(), unit.toLowerCase()];
    if (asked === "times") return ["x", "×", "times", "fold", "-fold"].includes(typed);
    if (asked === "%") return percents.includes(typed);
    if (seconds.has(asked)) return typed === asked;
    return asked !== "" && typed.replace(/s+$/, "") === asked.replace(/s+$/, "");
  }

  function bytes(unit) {
    const found = /^([kKMGT]?)(i?)(?:[bB]|[bB]ytes?)$/.exec(unit);
    if (!found) {
      const long = /^([kmgt])(?:ilo|ega|iga|era)bytes?$/i.exec(unit);
      return long ? bytes(`${long[1].toUpperCase()}B`) : [];
    }
    if (found[1]) return (found[2] ? [1024] : [1000, 1024]).map((base) => base ** powers.get(found[1]));
    return found[2] ? [] : [1];
  }

  // The factors that convert a number to the question's unit; none if the number has a different kind of unit.
  function factors(rest, unit) {
    const asked = multiplier.exec(unit);
    const timesOf = (found) => (found ? multipliers[found[1].toLowerCase()] : 1);
    if (!rest) return [1, ...(asked ? [1 / timesOf(asked)] : []), ...(unit === "%" ? [100] : [])];
    if (isUnit(rest, unit)) return [1];
    const typed = multiplier.exec(rest);
    if (typed || asked) {
      const typedOf = typed ? rest.slice(typed[0].length) : rest;
      const askedOf = asked ? unit.slice(asked[0].length) : unit;
      return (typedOf ? factors(typedOf, askedOf) : [1]).map((factor) => (timesOf(typed) / timesOf(asked)) * factor);
    }
    if (percents.includes(rest.toLowerCase())) return ["", "times"].includes(unit) || unit.startsWith("of ") ? [0.01] : [];
    const [typedS, askedS] = [seconds.get(rest.toLowerCase()), seconds.get(unit.toLowerCase())];
    if (typedS || askedS) return typedS && askedS ? [typedS / askedS] : [];
    const askedBytes = bytes(unit);
    if (askedBytes.length) {
      const typedBytes = bytes(rest).length ? bytes(rest) : powers.has(rest) ? bytes(`${rest}B`) : [];
      return typedBytes.flatMap((one) => askedBytes.map((other) => one / other));
    }
    return powers.has(rest) ? [1000, 1024].map((base) => base ** powers.get(rest)) : [];
  }

  function power(text) {
    const [base, exponent] = text.replace("**", "^").split("^");
    const withPoint = comma.test(base) ? base.replace(/,/g, ".") : base.replace(/[,_\s]/g, "");
    return Number(withPoint) ** (exponent === undefined ? 1 : Number(exponent));
  }

  function valueOf(terms) {
    const parts = terms.split(/\s*((?<!\*)\*(?!\*)|[/×·x])\s*/);
    let value = power(parts[0]);
    for (let i = 1; i < parts.length; i += 2) {
      const next = power(parts[i + 1]);
      value = parts[i] === "/" ? value / next : value * next;
    }
    return value;
  }

  // {values}: the possible readings of the number; or {problem}: a message for a text that is not a number.
  function typedNumbers(text, unit) {
    let typed = text.trim().replace(about, "");
    const words = shown(text);
    const isRange = { problem: `'${words}' is a range. Give one number: the one you think most likely.` };
    if (compared.test(typed)) return isRange;
    typed = typed.replace(firstWords, (found) => inWords[found.toLowerCase()]);
    const found = number.exec(typed);
    if (!found) return { problem: `'${words}' is not a number. Type one, such as 12, 0.5 or 3 * 4.` };
    const rest = found[3].trim();
    if (range.test(rest)) return isRange;
    const value = valueOf(found[2]);
    if (!Number.isFinite(value)) return { problem: `'${words}' cannot be computed. Type one number, such as 12, 0.5 or 3 * 4.` };
    const by = factors(rest, unit);
    if (!by.length) {
      const asked = unit ? `in ${unit}` : "as a number without a unit";
      return { problem: `'${words}': give the answer ${asked}. Type only the number.` };
    }
    return { values: [...new Set(by.map((factor) => (found[1] === "-" ? -value : value) * factor))] };
  }

  function isRight(typed, { value, share, factor, rounding }) {
    if (factor > 1) return value / factor <= typed && typed <= value * factor;
    return Math.abs(typed - value) <= (share * Math.abs(value) || rounding) + 1e-9 * Math.abs(value);
  }

  // The message for a wrong number: too high or too low, by how much if it is far off, and the usual error.
  function howWrong(values, { value, usual }) {
    const distance = (one) => (one > 0 && value > 0 ? Math.abs(Math.log(one / value)) : Math.abs(one - value) + 1e9);
    const typed = values.reduce((best, one) => (distance(one) < distance(best) ? one : best));
    const told = values.flatMap((one) => usual.filter(([wrong]) => Math.abs(one - wrong) <= 0.02 * wrong));
    const factor = typed > 0 && value > 0 ? Math.max(typed / value, value / typed) : 0;
    const veryFar = ", by a factor of a million or more";
    const far = factor < 1.5 ? "" : factor >= 1e6 ? veryFar : `, by a factor of about ${rounded(factor)}`;
    return `too ${typed > value ? "high" : "low"}${far}.${told.length ? ` ${told[0][1]}` : ""}`;
  }

  function rounded(factor) {
    return Number(factor.toPrecision(2)).toLocaleString("en-US");
  }

  return { typedNumbers, isRight, howWrong };
})();
