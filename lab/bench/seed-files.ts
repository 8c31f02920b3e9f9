import type { EntityManager } from '@mikro-orm/postgresql';

const SUBJECTS =
  'harbour bridge lantern orchard glacier market violin kettle tractor lighthouse canyon balcony parrot saddle compass meadow'.split(
    ' ',
  );
const PLACES = 'lisbon bergen kyoto valparaiso tallinn porto ghent oaxaca hobart cusco'.split(' ');
const quoted = (words: string[]) => `array[${words.map((word) => `'${word}'`).join(', ')}]`;

/** Rows per statement. */
const BATCH = 2500;
const LANES = 2;

/**
 * Adds completed files without objects to a tenant: camera-style names, a title on every second file, descriptions with
 * mostly the same words, text in every tenth file, one document in 400, and rare words: `quartzite` in 20 titles,
 * `obsidian` in 20 descriptions, `malachite` in 20 visible texts.
 */
export async function seedFiles(
  em: EntityManager,
  tenantId: string,
  count: number,
  onBatch: (done: number) => void = () => undefined,
): Promise<void> {
  const rare = Math.floor(count / 20);
  const begins = Array.from({ length: Math.ceil(count / BATCH) }, (_, i) => i * BATCH + 1).values();
  // Most of the time goes into the full-text vectors of each file, on one core per connection.
  await Promise.all(Array.from({ length: LANES }, fillLane));

  async function fillLane(): Promise<void> {
    for (const first of begins) {
      const last = Math.min(count, first + BATCH - 1);
      await em.execute(insertSql(tenantId, first, last, rare));
      onBatch(last);
    }
  }
}

function insertSql(tenantId: string, first: number, last: number, rare: number): string {
  return `insert into files (id, tenant_id, media_type, content_type, format, filename, title, tags, content_category,
         size_bytes, sha256, object_key, options, content_created_at, visible_text,
         upload_description, described_at, generation, seq, components, primary_status, workflow_started_at,
         created_at, updated_at)
       select gen_random_uuid(), '${tenantId}', case when n % 400 = 7 then 'document' else 'image' end, 'image/jpeg',
         'jpeg', 'IMG_' || lpad(n::text, 7, '0') || '.jpg',
         case when n % ${rare} = 3 then 'quartzite ' || subject
           when n % 2 = 0 then subject || ' in ' || place || ' ' || n % 5000 end,
         case when n % 3 = 0 then array[subject, place] else array['photograph'] end, 'general',
         1000 + (n::bigint * 7919) % 5000000, md5(n::text) || md5(n::text), '${tenantId}/' || n, '{}',
         case when n % 3 > 0 then timestamptz '2015-01-01' + (n * 37 % 100000) * interval '1 hour' end,
         case when n % ${rare} = 5 then 'invoice malachite ' || n when n % 10 = 0 then 'invoice ' || n end,
         case when n % 50 > 0 then 'A photograph in landscape format of a ' || subject || ' near ' || place
           || case when n % ${rare} = 4 then ' on obsidian' else '' end end,
         now(), 1, 5, '{"variant": {"status": "completed"}, "description": {"status": "completed"}}', 'completed',
         now(), timestamptz '2020-01-01' + n * interval '1 minute', now()
       from (
         select n, (${quoted(SUBJECTS)})[1 + n % ${SUBJECTS.length}] as subject,
           (${quoted(PLACES)})[1 + n / 3 % ${PLACES.length}] as place
         from generate_series(${first}, ${last}) as n
       ) as numbers`;
}
