import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from 'darkroom-client';
import { formatDateTime, formatDuration } from '../../../lib/format.ts';
import { Card } from '../../../ui/page.tsx';
import { savedSchemaQuery } from '../schema/queries.ts';
import { EXTRACTION_TEXTS } from '../texts.ts';

export type StructuredExtraction = components['schemas']['StructuredExtraction'];

const texts = EXTRACTION_TEXTS;
const LOCAL = 'local';

/** Who read the values, by which schema, when, for how many tokens. */
export function ExtractionFacts({ extraction }: { extraction: StructuredExtraction }) {
  const { provider, model, usage, created_at: created, processing_time_ms: took } = extraction;
  return (
    <Card title={texts.facts}>
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[auto_1fr]">
        <Fact name={texts.usedSchema}>
          {extraction.schema_id ? (
            <SchemaLink id={extraction.schema_id} version={extraction.schema_version} />
          ) : (
            texts.ownSchema
          )}
        </Fact>
        <Fact name={texts.created}>{formatDateTime(created)}</Fact>
        {provider && (
          <Fact name={texts.by}>{provider === LOCAL ? texts.rules : `${provider}, ${model}`}</Fact>
        )}
        {took !== null && <Fact name={texts.took}>{formatDuration(took / 1000)}</Fact>}
        {usage && provider !== LOCAL && (
          <Fact name={texts.tokens}>{texts.tokensOf(usage.input_tokens, usage.output_tokens)}</Fact>
        )}
      </dl>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}

/** The name of the saved schema; its id if it has been deleted. */
function SchemaLink({ id, version }: { id: string; version: number | null }) {
  const { data } = useQuery(savedSchemaQuery(id, version ?? undefined));
  if (!data) return id;
  return (
    <Link
      to="/extract/schemas/$schemaId"
      params={{ schemaId: id }}
      search={version === null ? {} : { version }}
      className="text-accent underline"
    >
      {texts.schemaOf(data.name, data.version)}
    </Link>
  );
}
