// Questions that the reader answers before the answer below them opens. Without this script the answers are folds, as
// in the repository's pages.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const prefix = "workbook ";
  // Earlier answers are stored if the browser permits it.
  const recall = ({ key, otherKeys }) => {
    try {
      const states = [key, ...otherKeys.split(" ")].map((name) => localStorage.getItem(prefix + name));
      return states.includes("right") ? "right" : states[0];
    } catch {
      return null;
    }
  };
  const keep = (key, state) => {
    try {
      localStorage.setItem(prefix + key, state);
    } catch {
      // Without storage, the question is asked again.
    }
  };

  const tryAgain = "Try again, or open the answer after you have answered all questions here.";

  function judge(form, question) {
    if ("right" in question) {
      const chosen = new FormData(form).get("answer");
      if (chosen === null) return { problem: "Choose one of the options." };
      return { right: Number(chosen) === question.right, words: question.usual[Number(chosen)] };
    }
    const text = form.elements.answer.value;
    if (!text.trim()) return { problem: "Type an answer first." };
    const typed = workbookAnswers.typedNumbers(text, question.unit);
    if (typed.problem) return typed;
    const right = typed.values.some((value) => workbookAnswers.isRight(value, question));
    return { right, words: right ? "" : workbookAnswers.howWrong(typed.values, question) };
  }

  function tell(form, state, words) {
    form.dataset.state = state;
    form.querySelector(".predict-verdict").textContent = words;
  }

  function setUp(box) {
    const answer = box.nextElementSibling;
    if (!answer || answer.tagName !== "DETAILS") return;
    const forms = [...box.querySelectorAll(".predict-question")];
    const note = box.querySelector(".predict-then");
    const isAnswered = (form) => ["right", "wrong"].includes(form.dataset.state);
    let isGivenUp = false;
    const isLocked = () => !isGivenUp && !forms.every(isAnswered);
    const refresh = () => {
      answer.classList.toggle("predict-locked", isLocked());
      note.hidden = !isLocked();
    };

    for (const form of forms) {
      const question = JSON.parse(form.dataset.question);
      const right = `Right: ${question.says}`;
      const kept = recall(form.dataset);
      if (kept === "right") tell(form, "right", `${right} (You have answered this before.)`);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const verdict = judge(form, question);
        if (verdict.problem) return tell(form, form.dataset.state || "", verdict.problem);
        if (verdict.right) tell(form, "right", right);
        else tell(form, "wrong", `No${verdict.words ? `: ${verdict.words}` : "."} ${tryAgain}`);
        if (recall(form.dataset) !== "right") keep(form.dataset.key, verdict.right ? "right" : "wrong");
        if (forms.every((one) => one.dataset.state === "right")) answer.open = true;
        refresh();
      });
    }
    answer.querySelector("summary").addEventListener("click", (event) => {
      if (!isLocked()) return;
      event.preventDefault();
      const open = forms.find((form) => !isAnswered(form));
      tell(open, "", "Answer this question first; a guess is enough.");
      open.querySelector("input").focus();
    });
    note.querySelector("button").addEventListener("click", () => {
      isGivenUp = true;
      answer.open = true;
      refresh();
      answer.querySelector("summary").focus();
    });
    box.hidden = false;
    refresh();
  }

  document.querySelectorAll(".predict").forEach(setUp);
});
