import type { TextRegion } from '../image-analysis.ts';
import {
  type ComplianceRequest,
  type ComplianceStatus,
  type Margins,
  findContact,
  findMark,
} from './compliance.ts';
import { rulesFor, type ComplianceStandard, type Rule } from './standards.ts';

/** The facts about an image that its compliance check uses. */
export interface CheckedImage {
  width: number;
  height: number;
  format: string;
  sizeBytes: number;
  margins: Margins;
  /** Null if the text was not read. */
  textRegions: readonly TextRegion[] | null;
}

/** A model's assessment of a rule. */
export interface RuleAssessment {
  /** Null if the model could not decide. */
  kept: boolean | null;
  observation: string | null;
  confidence: number | null;
}

export const VERDICTS = ['passed', 'failed', 'not_checked'] as const;
export const METHODS = ['measured', 'text', 'model'] as const;

/** The outcome of one rule. */
export interface RuleOutcome {
  rule: string;
  expected: string;
  /** The measured value; null if nothing was measured. */
  measured: string | null;
  verdict: (typeof VERDICTS)[number];
  /** The method of the check; null if the rule was not checked. */
  method: (typeof METHODS)[number] | null;
  /** Why the rule was not checked. */
  reason: string | null;
  /** The model's confidence. */
  confidence: number | null;
  /** The position of the text that breaks the rule. */
  box: TextRegion['box'] | null;
}

/** Minimum depth of a border; compression alone may produce thinner ones. */
const THINNEST_BORDER = 0.004;
/** An added border has at least two sides; a single one may be floor or sky. */
const SIDES_OF_A_BORDER = 2;

/** Minimum white share of the background for a subject to be separable from it. */
const WHITE_ENOUGH = 0.5;

/** The name of a rule in results. */
export function nameOf(rule: Rule): string {
  return rule.kind === 'seen' ? rule.name : rule.kind;
}

/** The rules that need a model: those about visible content and about text in the image. */
export function rulesToAsk(standard: ComplianceStandard, request: ComplianceRequest): Rule[] {
  return rulesFor(standard, request.imageType).filter(
    ({ kind }) => kind === 'seen' || kind.startsWith('no_'),
  );
}

/**
 * Checks every rule of a standard.
 *
 * @param assessments assessments of a model, by rule name; empty without a model
 * @param unseen why rules that need a model are not checked without one
 */
export function checkRules(
  standard: ComplianceStandard,
  { imageType }: ComplianceRequest,
  image: CheckedImage,
  assessments: Readonly<Record<string, RuleAssessment>>,
  unseen: string,
): RuleOutcome[] {
  return rulesFor(standard, imageType).map((rule) => {
    const known = { rule: nameOf(rule), expected: expectationOf(rule) };
    const found = measure(rule, image) ?? see(assessments[known.rule]) ?? fallBack(rule, image);
    if (!found) return { ...known, ...NOT_CHECKED, reason: unseen };
    const { kept, measured, method, confidence = null, box = null } = found;
    if (kept === null) return { ...known, ...NOT_CHECKED, reason: measured };
    const verdict = kept ? ('passed' as const) : ('failed' as const);
    return { ...known, measured, verdict, method, reason: null, confidence, box };
  });
}

const NOT_CHECKED = {
  measured: null,
  verdict: 'not_checked',
  method: null,
  confidence: null,
  box: null,
} as const satisfies Partial<RuleOutcome>;

/** A broken rule decides; otherwise a kept one. Unchecked rules do not count. */
export function complianceStatus(outcomes: readonly Pick<RuleOutcome, 'verdict'>[]): ComplianceStatus {
  if (outcomes.some(({ verdict }) => verdict === 'failed')) return 'failed';
  return outcomes.some(({ verdict }) => verdict === 'passed') ? 'passed' : 'not_checked';
}

interface Found {
  kept: boolean | null;
  measured: string;
  method: (typeof METHODS)[number];
  confidence?: number | null;
  box?: TextRegion['box'];
}

/** @returns undefined if a measurement does not decide */
function measure(rule: Rule, image: CheckedImage): Found | undefined {
  const { width, height, format, sizeBytes, margins } = image;
  const longest = Math.max(width, height);
  const found = (kept: boolean, measured: string): Found => ({ kept, measured, method: 'measured' });
  switch (rule.kind) {
    case 'formats':
      return found(
        rule.formats.some((each) => each === format),
        format,
      );
    case 'min_width':
      return found(width >= rule.pixels, `${width} pixels`);
    case 'min_height':
      return found(height >= rule.pixels, `${height} pixels`);
    case 'min_longest_side':
      return found(longest >= rule.pixels, `${longest} pixels`);
    case 'max_longest_side':
      return found(longest <= rule.pixels, `${longest} pixels`);
    case 'max_megapixels': {
      const megapixels = (width * height) / 1e6;
      return found(megapixels <= rule.megapixels, `${short(megapixels)} megapixels`);
    }
    case 'max_file_size': {
      const megabytes = sizeBytes / 1e6;
      return found(megabytes <= rule.megabytes, `${short(megabytes)} MB`);
    }
    case 'aspect_ratio': {
      const ratio = width / height;
      return found(ratio >= rule.min && ratio <= rule.max, `${short(ratio)} : 1`);
    }
    case 'white_background':
      return found(
        margins.whiteRing >= rule.share,
        `${percent(margins.whiteRing)} of the outermost pixels are white`,
      );
    case 'subject_size': {
      const { subject, whiteRing } = margins;
      // Without a white background, non-white pixels are not necessarily the subject.
      if (whiteRing < WHITE_ENOUGH) return undefined;
      const filled = subject ? Math.max(subject.width, subject.height) : 0;
      return found(filled >= rule.share, `${percent(filled)} of the frame`);
    }
    case 'no_border': {
      const sides = Object.entries(margins.bands).filter(([, depth]) => depth >= THINNEST_BORDER);
      const said = sides.map(([side, depth]) => `${side} ${percent(depth)}`).join(', ');
      return found(
        sides.length < SIDES_OF_A_BORDER,
        sides.length < SIDES_OF_A_BORDER ? 'no border' : `a border: ${said}`,
      );
    }
    case 'no_contact_details':
      return written(image, findContact);
    case 'no_watermark':
      return written(image, findMark);
    default:
      return undefined;
  }
}

/** Recognised text can only break a rule: finding none proves little about small or pale letters. */
function written(
  { textRegions }: CheckedImage,
  find: (text: string) => string | undefined,
): Found | undefined {
  for (const { text, box } of textRegions ?? []) {
    const telling = find(text);
    if (telling) return { kept: false, measured: `“${telling}”`, method: 'text', box };
  }
  return undefined;
}

function see(assessment: RuleAssessment | undefined): Found | undefined {
  if (!assessment) return undefined;
  const { kept, observation, confidence } = assessment;
  return { kept, measured: observation ?? 'the model could not tell', method: 'model', confidence };
}

/** Without a model, an image in which no text was found counts as free of text. */
function fallBack({ kind }: Rule, { textRegions }: CheckedImage): Found | undefined {
  const aboutText = kind === 'no_text_overlay' || kind === 'no_contact_details';
  if (!aboutText || textRegions?.length !== 0) return undefined;
  return { kept: true, measured: 'no text found', method: 'text' };
}

/** The requirement of a rule, in words. */
export function expectationOf(rule: Rule): string {
  switch (rule.kind) {
    case 'formats':
      return `one of ${rule.formats.join(', ')}`;
    case 'min_width':
      return `at least ${rule.pixels} pixels wide`;
    case 'min_height':
      return `at least ${rule.pixels} pixels high`;
    case 'min_longest_side':
      return `longest side of at least ${rule.pixels} pixels`;
    case 'max_longest_side':
      return `longest side of at most ${rule.pixels} pixels`;
    case 'max_megapixels':
      return `at most ${rule.megapixels} megapixels`;
    case 'max_file_size':
      return `at most ${rule.megabytes} MB`;
    case 'aspect_ratio':
      return `width by height from ${rule.min} to ${rule.max}`;
    case 'white_background':
      return `a white background: ${percent(rule.share)} of the outermost pixels`;
    case 'subject_size':
      return `the subject fills at least ${percent(rule.share)} of the frame`;
    case 'no_border':
      return 'no border or frame';
    case 'no_text_overlay':
      return 'no text or graphics laid over the picture';
    case 'no_watermark':
      return 'no watermark';
    case 'no_contact_details':
      return 'no telephone number, email address or web address';
    case 'seen':
      return rule.expected;
  }
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
