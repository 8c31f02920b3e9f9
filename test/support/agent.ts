import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import type { Json, RunInfo } from './api.ts';

/** The newest revision of the protocol, and the last one with a handshake. */
export type Era = '2026-07-28' | '2025-11-25';

export interface Agent {
  client: Client;
  /** Calls a tool and returns the JSON of its result; fails if the tool refuses. */
  call(name: string, given?: Record<string, unknown>): Promise<Json>;
  /** Calls a tool and returns the JSON of its refusal; fails if the tool succeeds. */
  refused(name: string, given?: Record<string, unknown>): Promise<Json>;
}

/** Connects an agent to the MCP server of a stack. */
export async function connectAgent(
  run: Pick<RunInfo, 'api_url'>,
  key: string,
  { era = '2026-07-28', headers = {} }: { era?: Era; headers?: Record<string, string> } = {},
): Promise<Agent> {
  const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${key}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(mcpUrl(run), { requestInit }));
  const call = (name: string, given: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: given });
  return {
    client,
    async call(name, given) {
      const result = await call(name, given);
      assert.ok(!result.isError, JSON.stringify(result.content));
      return jsonOf(result);
    },
    async refused(name, given) {
      const result = await call(name, given);
      assert.ok(result.isError, JSON.stringify(result.content));
      return jsonOf(result);
    },
  };
}

export function mcpUrl({ api_url: url }: Pick<RunInfo, 'api_url'>): URL {
  return new URL('/mcp', url);
}

function jsonOf({ content }: CallToolResult): Json {
  const [first] = content;
  assert.equal(first?.type, 'text');
  return JSON.parse(first.text);
}
