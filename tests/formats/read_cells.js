// Reads cells with the reader of the page: lists of [text, decimal, dayFirst, header] in a file of JSON.
import { readFileSync } from "node:fs";
import process from "node:process";

const [root, path] = process.argv.slice(2);
const { languageOf } = await import(`${root}/reporting/assets/scripts/cells/language.js`);
const { readCell } = await import(`${root}/reporting/assets/scripts/cells/reading.js`);
const [vocabulary, grammar] = ["vocabulary", "grammar"].map((name) =>
  JSON.parse(readFileSync(`${root}/formats/cells/${name}.json`, "utf-8")),
);
const language = languageOf(vocabulary, grammar);
const answers = JSON.parse(readFileSync(path, "utf-8")).map(([text, decimal, dayFirst, header]) => {
  try {
    const { test, formal } = readCell(language, text, { decimal, dayFirst }, header);
    return { test, formal };
  } catch (error) {
    if (error.key === undefined) return { crash: String(error.stack) };
    return { key: error.key };
  }
});
process.stdout.write(JSON.stringify(answers));
