import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import { eventually, type Json } from '../../support/api.ts';
import { replies, type ModelReply } from '../../support/model-server.ts';
import { demoImage } from '../../support/images.ts';
import { own } from './stack.ts';

/**
 * Extractions and compliance checks by a model that answers, refuses, returns an invalid answer, or is down.
 */
const { model, orm } = own;
const { client } = await own.newTenant();

type Answers = Readonly<Record<string, ModelReply>>;

/** Answers each kind of request by its schema name, and all others with a description. */
function answer(context: TestContext, answers: Answers): void {
  model.otherwise((response, request) => {
    const { response_format: format } = request.body as Json;
    (answers[format?.json_schema.name] ?? replies.ok())(response, request);
  });
  context.after(() => model.otherwise(replies.ok()));
}

const json = (value: unknown) => replies.content(JSON.stringify(value));
const asked = (name: string) =>
  model.requests.filter(({ body }) => (body as Json).response_format?.json_schema.name === name).length;
const upload = (fields: Record<string, string>) =>
  client.ingest({ bytes: demoImage('coffee.jpg'), fields: { ...fields, skip_duplicates: 'false' } });
const timeline = async (id: string): Promise<Json> => (await client.get(`/files/${id}/timeline`)).body;

const valve = {
  kind: 'valve',
  tag: 'XV-101',
  description: 'gate valve',
  line_number: '6"-P-1001',
  connected_to: ['P-101'],
};
const pidAnswer = {
  pid: {
    drawing_number: 'D-7',
    title: null,
    revision: 'B',
    items: [
      { ...valve, bounding_box: [0.1, 0.2, 0.3, 0.4], confidence: 0.8 },
      { ...valve, tag: 'XV\u0000-102', bounding_box: [120, 80, 200, 90], confidence: 95 },
    ],
  },
  legend: { title: null, items: [] },
};

test('a model gets all domains of a category in one strict call, and its answer is typed', async (context) => {
  answer(context, { pid_extraction: json(pidAnswer) });
  const before = asked('pid_extraction');
  const id = await upload({ content_category: 'pid' });
  const file = await client.settled(id);
  assert.deepEqual([file.primary_status, file.extraction_status], ['completed', 'completed']);
  assert.equal(asked('pid_extraction'), before + 1);
  const request = model.requests.findLast(
    ({ body }) => (body as Json).response_format?.json_schema.name === 'pid_extraction',
  );
  assert.ok(request);
  assert.equal((request.body as Json).response_format.json_schema.strict, true);

  const [legend, pid] = file.extractions;
  assert.deepEqual([legend.domain_name, legend.status, legend.result.items], ['legend', 'completed', []]);
  const { items, revision } = pid.result;
  assert.deepEqual([pid.provider, pid.prompt_version, revision], ['openai', 'pid-v1', 'B']);
  const { confidence, bounding_box: box, tag } = items[0];
  assert.deepEqual([tag, confidence], ['XV-101', 0.8]);
  assert.deepEqual(box, { x_min: 0.1, y_min: 0.2, x_max: 0.3, y_max: 0.4 });
  // Values out of bounds become null, and items that cannot be stored are left out.
  assert.deepEqual([items[1].tag, items[1].confidence, items[1].bounding_box], ['XV-102', null, null]);

  const event = await orm.em.fork().findOneOrFail(UsageEvent, { fileId: id, type: 'extract' });
  assert.deepEqual([event.inputTokens, event.credits, event.provider], [1_200, 0, 'openai']);
});

test('a correction is dropped once another extraction finds a different item at its position', async (context) => {
  answer(context, { pid_extraction: json(pidAnswer) });
  const id = await upload({ content_category: 'pid' });
  await client.settled(id);
  const path = `/files/${id}/extractions/pid/review`;
  const edits = { 'items.0.tag': 'XV-111', 'items.0.description': 'ball valve' };
  assert.equal((await client.patch(path, { field_edits: edits })).status, 200);

  const renamed = { ...pidAnswer.pid, items: [{ ...pidAnswer.pid.items[0], tag: 'PSV-9' }] };
  answer(context, { pid_extraction: json({ ...pidAnswer, pid: renamed }) });
  await client.post(`/files/${id}/retry`, { components: ['extraction'] });
  await client.settled(id);
  const { extractions } = (await client.get(`/files/${id}/extractions`)).body;
  const [pid] = extractions.filter(({ domain_name: name }: Json) => name === 'pid');
  assert.deepEqual(pid.corrections.field_edits, { 'items.0.description': 'ball valve' });
  assert.deepEqual(pid.superseded_corrections.field_edits, { 'items.0.tag': 'XV-111' });
  const [item] = pid.corrected_result.items;
  assert.deepEqual([item.tag, item.description], ['PSV-9', 'ball valve']);
});

test('an outage of the model pauses the extraction, and completed calls are not repeated', async (context) => {
  answer(context, { mining_extraction: replies.rateLimited('2') });
  const id = await upload({ content_category: 'mining' });
  await eventually(async () => {
    assert.match(
      (await timeline(id)).explanation,
      /^Domain extraction waiting: the model endpoint answered 429/,
    );
  });
  const described = asked('image_description');
  answer(context, {
    mining_extraction: json({ mining: { scene: 'open pit', material: null, items: [] } }),
  });
  const file = await client.settled(id);
  assert.deepEqual([file.primary_status, file.extractions[0].result.scene], ['completed', 'open pit']);
  assert.equal(asked('image_description'), described);
});

test('a refusal fails only the extraction, with its reason', async (context) => {
  answer(context, { robotics_extraction: replies.content(null, { refusal: 'no' }) });
  const id = await upload({ content_category: 'robotics' });
  const file = await client.settled(id);
  assert.deepEqual(
    [file.primary_status, file.description_status, file.extraction_status],
    ['partially_completed', 'completed', 'failed'],
  );
  assert.match(file.extraction_error, /refused/);
  assert.deepEqual(file.extractions, []);

  answer(context, {
    robotics_extraction: json({
      robotics: { environment: null, robot_type: 'arm', viewpoint: null, task: null, items: [] },
    }),
  });
  const { body } = await client.post(`/files/${id}/retry`, {});
  assert.deepEqual(body.retried, ['extraction']);
  assert.equal((await client.settled(id)).primary_status, 'completed');
});

const assessment = (kept: boolean | null, observation: string | null = null) => ({
  kept,
  observation,
  confidence: 0.7,
});
const compliance = { compliance_type: 'marketplace', compliance_standard: 'ebay' };

test('a model decides the rules that cannot be measured', async (context) => {
  const rules = {
    no_border: assessment(false, 'a border'),
    no_text_overlay: assessment(true),
    no_watermark: assessment(false, 'a faint name across the cup'),
    real_photograph: assessment(null, 'too small to tell'),
  };
  answer(context, { compliance_check: json(rules) });
  const id = await upload(compliance);
  const file = await client.settled(id);
  assert.deepEqual([file.extraction_status, file.compliance_status], ['completed', 'failed']);
  const { items } = file.extractions[0].result;
  const outcomes = Object.fromEntries(
    items.map(({ rule, verdict, method, measured, reason }: Json) => [
      rule,
      [verdict, method, measured ?? reason],
    ]),
  );
  assert.deepEqual(outcomes['no_border'].slice(0, 2), ['passed', 'measured']);
  assert.deepEqual(outcomes['no_watermark'], ['failed', 'model', 'a faint name across the cup']);
  assert.deepEqual(outcomes['real_photograph'], ['not_checked', null, 'too small to tell']);
});

test('when the model refuses, the measured rules are kept and the check ends with an error', async (context) => {
  answer(context, { compliance_check: replies.content(null, { refusal: 'no' }) });
  const file = await client.settled(await upload(compliance));
  assert.deepEqual([file.extraction_status, file.compliance_status], ['failed', 'error']);
  const [check] = file.extractions;
  const [size] = check.result.items;
  assert.deepEqual([check.status, size.rule, size.verdict], ['partial', 'min_longest_side', 'passed']);
});
