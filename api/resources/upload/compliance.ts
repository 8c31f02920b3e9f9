import { COMPLIANCE_TYPES } from '../../../domain/compliance/compliance.ts';
import { findStandard, standardsOf } from '../../../domain/compliance/standards.ts';

interface ComplianceFields {
  compliance_type?: unknown;
  compliance_standard?: unknown;
}

/** Problem of the standard of an upload, given its type; undefined if there is none. */
export function standardProblem(form: ComplianceFields | null | undefined): string | undefined {
  const { compliance_type: given, compliance_standard: standard } = form ?? {};
  const type = COMPLIANCE_TYPES.find((each) => each === given);
  if (!type) return undefined;
  if (typeof standard !== 'string' || standard === '') return 'required when compliance_type is set';
  if (findStandard(type, standard)) return undefined;
  return `unknown; the standards for ${type} are ${standardsOf(type).join(', ')}`;
}

/** The rule over both fields, reported together with other issues, which suppress such rules by default. */
export const STANDARD_KNOWN = {
  path: ['compliance_standard'],
  error: ({ input }: { input?: unknown }) => standardProblem(input ?? undefined),
  when: () => true,
};

/** Description of the field. */
export const STANDARD_DESCRIPTION = `The rules to check against; needed with \`compliance_type\`. ${COMPLIANCE_TYPES.map(
  (type) =>
    `For \`${type}\`: ${standardsOf(type)
      .map((name) => `\`${name}\``)
      .join(', ')}`,
).join('. ')}.`;
