import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { toFailure, toRefusal, toResult } from '../../../api/mcp/results.ts';
import { TOOLS, type Tool } from '../../../api/mcp/tools.ts';
import { AppError } from '../../../domain/app-error.ts';

const toolNamed = (name: string) => TOOLS.find((tool) => tool.name === name) as Tool;
const textOf = ({ content }: CallToolResult): string => {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
};

test('a result omits nulls and fields that only programs use, but contains the whole extracted data', () => {
  const answer = { extraction_id: 'x', error: null, extracted_data: { total: null, full_url: 'a' } };
  assert.deepEqual(JSON.parse(textOf(toResult(toolNamed('get_extraction'), answer))), {
    extraction_id: 'x',
    extracted_data: { total: null, full_url: 'a' },
  });
  const page = { page_number: 1, elements: [{ content: 'a', bounding_box: { x: 0 } }], error_message: null };
  assert.deepEqual(JSON.parse(textOf(toResult(toolNamed('read_page'), page))), {
    page_number: 1,
    elements: [{ content: 'a' }],
  });
});

test('an answer has its quotes with their pages, without their boxes', () => {
  const cited = { document_id: 'd', page_number: 2, quote: 'It weighs 12 kg.' };
  const sentence = { text: 'It weighs 12 kg.', supported: true };
  const answer = {
    answered: true,
    sentences: [{ ...sentence, citations: [{ ...cited, bounding_box: { x: 0 } }] }],
    passages: [],
    usage: { input_tokens: 1 },
  };
  for (const name of ['ask_documents', 'get_answer']) {
    assert.deepEqual(JSON.parse(textOf(toResult(toolNamed(name), answer))), {
      answered: true,
      sentences: [{ ...sentence, citations: [cited] }],
      passages: [],
    });
  }
});

test('a result contains the times and texts of the key frames of a video, and other files have none', () => {
  const frame = { time_seconds: 2, visible_text: 'Exit', full_url: 'https://store/a', blur_hash: 'L0' };
  const video = { media_type: 'video', video_url: 'https://store/v', key_frames: [frame] };
  assert.deepEqual(JSON.parse(textOf(toResult(toolNamed('get_file'), video))), {
    media_type: 'video',
    key_frames: [{ time_seconds: 2, visible_text: 'Exit' }],
  });
  const image = { media_type: 'image', full_url: 'https://store/a' };
  assert.deepEqual(JSON.parse(textOf(toResult(toolNamed('get_file'), image))), { media_type: 'image' });
});

test('passages link the first page of each document hit, without repetition', () => {
  const hit = (id: string, pages: number[]) => ({
    document_id: id,
    document_filename: 'a.pdf',
    page_numbers: pages,
  });
  const { content } = toResult(toolNamed('search_documents'), {
    items: [hit('1', [2, 3]), hit('1', [2]), hit('2', []), hit('2', [7])],
  });
  assert.deepEqual(
    content.slice(1).map((link) => link.type === 'resource_link' && [link.uri, link.name]),
    [
      ['darkroom://files/1/pages/2', 'a.pdf, page 2'],
      ['darkroom://files/2/pages/7', 'a.pdf, page 7'],
    ],
  );
});

test('a result that is too long is truncated and says so', () => {
  const items = Array.from({ length: 100 }, () => ({ title: '😀'.repeat(1000) }));
  const text = textOf(toResult(toolNamed('list_files'), { items }));
  assert.ok(text.length < 60_200 && text.isWellFormed(), `${text.length} characters`);
  assert.match(text, /\[cut here: \d+ more characters; ask for less at once\]$/);
});

test('a refusal contains the time until a retry', () => {
  const limited = new AppError('RATE_LIMITED', 'wait', { retryAfterSeconds: 7 });
  for (const refusal of [
    toFailure(limited, 'r1'),
    toRefusal({ body: { code: 'RATE_LIMITED', detail: 'wait', request_id: 'r1' }, retryAfterSeconds: 7 }),
  ]) {
    assert.equal(refusal.isError, true);
    const { code, request_id: requestId, retry_after_seconds: wait } = JSON.parse(textOf(refusal));
    assert.deepEqual([code, requestId, wait], ['RATE_LIMITED', 'r1', 7]);
  }
  const defect = textOf(toFailure(new Error('secret of the server'), 'r2'));
  assert.deepEqual([JSON.parse(defect).code, defect.includes('secret')], ['INTERNAL', false]);
});
