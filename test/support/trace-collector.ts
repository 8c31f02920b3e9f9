import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import protobuf from 'protobufjs';

/** What is read of the messages of https://github.com/open-telemetry/opentelemetry-proto. */
const PROTO = `
  syntax = "proto3";
  message Value { oneof value { string s = 1; bool b = 2; int64 i = 3; double d = 4; } }
  message Pair { string key = 1; Value value = 2; }
  message Status { int32 code = 3; }
  message Event { string name = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
    repeated Pair attributes = 9; repeated Event events = 11; Status status = 15;
  }
  message Scope { repeated Span spans = 2; }
  message Resource { repeated Pair attributes = 1; }
  message Process { Resource resource = 1; repeated Scope scopes = 2; }
  message Export { repeated Process processes = 1; }
`;
const EXPORT = protobuf.parse(PROTO).root.lookupType('Export');

type Pairs = { key: string; value: Record<string, unknown> }[];
interface Exported {
  processes: {
    resource: { attributes: Pairs };
    scopes: { spans: (Record<'traceId' | 'spanId' | 'parentSpanId' | 'name', string> & Spanned)[] }[];
  }[];
}
interface Spanned {
  attributes: Pairs;
  events: unknown[];
  status: { code?: number } | null;
}

export interface CollectedSpan {
  traceId: string;
  id: string;
  parentId: string;
  name: string;
  /** `service.name` of its process. */
  service: unknown;
  attributes: Record<string, unknown>;
  events: unknown[];
  failed: boolean;
}

/** A collector of OpenTelemetry on loopback that keeps what it gets. */
export interface TraceCollector {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: CollectedSpan[];
  /** All bodies so far, to search for what must not be in them. */
  bytes: () => Buffer;
  /** While it is true, requests get no answer. */
  hang: (hangs: boolean) => void;
  stop: () => Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  let hangs = false;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (hangs) return;
      bodies.push(body);
      spans.push(...decode(body));
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bytes: () => Buffer.concat(bodies),
    hang: (value) => void (hangs = value),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function decode(body: Buffer): CollectedSpan[] {
  const options = { bytes: String, longs: Number, arrays: true };
  const { processes } = EXPORT.toObject(EXPORT.decode(body), options) as Exported;
  const hex = (base64 = '') => Buffer.from(base64, 'base64').toString('hex');
  return processes.flatMap(({ resource, scopes }) => {
    const service = fields(resource.attributes)['service.name'];
    return scopes
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        traceId: hex(span.traceId),
        id: hex(span.spanId),
        parentId: hex(span.parentSpanId),
        name: span.name,
        service,
        attributes: fields(span.attributes),
        events: span.events,
        failed: span.status?.code === 2,
      }));
  });
}

function fields(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
