import { z } from 'zod';
import { METHODS, VERDICTS, type RuleAssessment } from '../../compliance/check.ts';
import {
  COMPLIANCE_IMAGE_TYPES,
  COMPLIANCE_STATUSES,
  COMPLIANCE_TYPES,
} from '../../compliance/compliance.ts';
import { result } from './parts.ts';

export const complianceType = z.enum(COMPLIANCE_TYPES).meta({ id: 'ComplianceType' });
export const complianceImageType = z.enum(COMPLIANCE_IMAGE_TYPES).meta({ id: 'ComplianceImageType' });
export const complianceStatus = z.enum(COMPLIANCE_STATUSES).meta({ id: 'ComplianceStatus' });

/** The outcome of a compliance check, as an extraction. */
export const complianceResult = result(
  {
    type: complianceType.describe('Kind of the compliance check'),
    standard: z.string().describe('Name of the standard'),
    source: z.string().describe('Where the standard is published'),
    as_of: z.string().describe('Month in which the rules were read, YYYY-MM'),
    image_type: complianceImageType.describe('Place of the image in its listing'),
    status: complianceStatus.describe('Result of the check'),
  },
  {
    rule: z.string().describe('Name of the rule'),
    expected: z.string().describe('What the rule demands'),
    measured: z.string().nullable().describe('What was found; null if the rule was not checked'),
    verdict: z
      .enum(VERDICTS)
      .describe('Whether the rule is kept; `not_checked` if that could not be decided'),
    method: z.enum(METHODS).nullable().describe('How it was found; null if it was not checked'),
    reason: z.string().nullable().describe('Why the rule was not checked'),
  },
).result.meta({ id: 'ComplianceResult' });

const assessment = z.object({
  kept: z.boolean().nullable().describe('Whether the rule is kept; null if it cannot be told'),
  observation: z.string().nullable().describe('What is seen that decides it, in a few words'),
  confidence: z.number().nullable().describe('How sure you are, from 0 to 1'),
});

/** The schema of a model's answer about rules. */
export function answerOfRules(names: readonly string[]): z.ZodObject {
  return z.object(Object.fromEntries(names.map((name) => [name, assessment])));
}

/** The assessment of each rule in such an answer. A confidence out of bounds counts as unknown. */
export function readAssessments(answer: unknown): Record<string, RuleAssessment> {
  const assessments = z.record(z.string(), assessment).parse(answer);
  return Object.fromEntries(
    Object.entries(assessments).map(([name, { confidence, ...seen }]) => [
      name,
      { ...seen, confidence: confidence !== null && confidence >= 0 && confidence <= 1 ? confidence : null },
    ]),
  );
}
