// Runs exported CQL and DMN: a request a line on standard input, an answer a line on standard
// output. A request has a kind ("cql" or "dmn"), the exported text, rows as objects by column
// name, and the names of the columns that hold dates as ISO text. CQL that reads records is given
// bundles of FHIR, one for each patient, and the codes of its value sets in place of rows.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

globalThis.require = createRequire(import.meta.url); // which the translator asks for

// The translator leaves it to its caller to name the types that are CQL's own, and their bases.
const SYSTEM_TYPES = {
  Any: ["Boolean", "Integer", "Long", "Decimal", "String", "DateTime", "Date", "Time"],
  Vocabulary: ["ValueSet", "CodeSystem"],
};
const SYSTEM_CLASSES = {
  Quantity: { value: "Decimal", unit: "String" },
  Ratio: { numerator: "Quantity", denominator: "Quantity" },
  Code: { code: "String", system: "String", version: "String", display: "String" },
  Concept: { display: "String" },
  Vocabulary: { id: "String", version: "String" },
};

const systemModel = () => {
  const type = (kind, name, base, inside = "") =>
    `<m:typeInfo xsi:type="m:${kind}" name="System.${name}"` +
    `${base ? ` baseType="System.${base}"` : ""}>${inside}</m:typeInfo>`;
  const element = ([name, of]) => `<m:element name="${name}" type="System.${of}"/>`;
  const made = [type("SimpleTypeInfo", "Any", null)];
  for (const name of SYSTEM_TYPES.Any) made.push(type("SimpleTypeInfo", name, "Any"));
  for (const [name, elements] of Object.entries(SYSTEM_CLASSES)) {
    made.push(type("ClassInfo", name, "Any", Object.entries(elements).map(element).join("")));
  }
  for (const name of SYSTEM_TYPES.Vocabulary) made.push(type("ClassInfo", name, "Vocabulary"));
  return (
    '<m:modelInfo name="System" version="1.0.0" url="urn:hl7-org:elm-types:r1" ' +
    'targetQualifier="system" xmlns:m="urn:hl7-org:elm-modelinfo:r1" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `${made.join("")}</m:modelInfo>`
  );
};

const loadTranslator = async () => {
  const { NamespaceManager } = await import("@cqframework/cql/cql");
  const cql = await import("@cqframework/cql/cql-to-elm");
  const models = new cql.ModelManager(new NamespaceManager());
  const fhir = require.resolve("cql-exec-fhir/lib/modelInfos/fhir-modelinfo-4.0.1.xml");
  const read = { System: systemModel, FHIR: () => readFileSync(fhir, "utf8") };
  models.modelInfoLoader.registerModelInfoProvider(
    cql.createModelInfoProvider((id) => (id in read ? cql.stringAsSource(read[id]()) : null)),
  );
  return (source) => cql.CqlTranslator.fromText(source, new cql.LibraryManager(models)).toJson();
};

let translate = null;

const runCql = async ({ text, rows, dates, bundles, valueSets }) => {
  translate = translate ?? (await loadTranslator());
  const { default: cql } = await import("cql-execution");
  const elm = JSON.parse(translate(text));
  // a text that is also the name of a column is worth a warning to who writes CQL by hand; and
  // codes are compared by the engine, without a library of functions for it
  const harmless = /matches the identifier|Could not resolve membership operator/;
  const isFault = ({ errorSeverity: severity, message }) =>
    severity && !(severity === "warning" && harmless.test(message));
  const faults = elm.library.annotation.filter(isFault);
  if (faults.length) throw new Error(JSON.stringify(faults));
  const library = new cql.Library(elm);
  if (bundles) {
    const { default: records } = await import("cql-exec-fhir");
    const patients = records.PatientSource.FHIRv401();
    patients.loadBundles(bundles);
    const executor = new cql.Executor(library, new cql.CodeService(valueSets));
    const { patientResults } = await executor.exec(patients);
    return bundles.map(({ entry: [{ resource: patient }] }) => {
      const { elseif_rule, elseif_label } = patientResults[patient.id];
      return { elseif_rule, elseif_label };
    });
  }
  const answers = [];
  for (const row of rows) {
    for (const name of dates) {
      if (row[name] != null) row[name] = cql.DateTime.parse(row[name]);
    }
    const executor = new cql.Executor(library, null, row);
    answers.push((await executor.exec(new cql.PatientSource([]))).unfilteredResults);
  }
  return answers;
};

const runDmn = async ({ text, rows, dates }) => {
  const { DmnModdle } = await import("dmn-moddle");
  const { evaluate, unaryTest } = await import("feelin");
  const { rootElement, warnings } = await new DmnModdle().fromXML(text);
  if (warnings.length) throw new Error(warnings.map((warning) => warning.message).join("; "));
  const value = (feel, context) => {
    const found = evaluate(feel, context);
    if (found.warnings.length) throw new Error(JSON.stringify(found.warnings));
    return found.value;
  };
  const decisions = rootElement.drgElement.filter((each) => each.$type === "dmn:Decision");
  const { decisionLogic: table } = decisions[0];
  if (decisions.length !== 1 || table.hitPolicy !== "FIRST") throw new Error("no list");
  const inputs = (table.input ?? []).map(({ label, inputExpression: { text: name } }) => [
    label ?? name,
    name,
  ]);
  const known = new Map(); // cells that were asked of a value before
  const isTrue = (cell, given, context) => {
    const key = JSON.stringify([cell, given]);
    if (!known.has(key)) known.set(key, unaryTest(cell, context).value === true);
    return known.get(key);
  };
  return rows.map((row) => {
    const context = Object.fromEntries(inputs.map(([column, name]) => [name, row[column]]));
    for (const [column, name] of inputs) {
      if (dates.includes(column) && row[column] !== null) {
        context[name] = value(`date and time("${row[column]}")`, {});
      }
    }
    const asked = inputs.map(([, name]) => ({ ...context, "?": value(name, context) }));
    const fits = (rule) =>
      (rule.inputEntry ?? []).every((cell, k) => isTrue(cell.text, row[inputs[k][0]], asked[k]));
    const rule = table.rule.find(fits);
    const cells = rule.outputEntry.map((cell) => value(cell.text, {}));
    return Object.fromEntries(table.output.map(({ name }, k) => [name, cells[k]]));
  });
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = { answers: await (request.kind === "cql" ? runCql(request) : runDmn(request)) };
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
