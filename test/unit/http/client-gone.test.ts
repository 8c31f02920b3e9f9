import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { clientGone } from '../../../api/http/client-gone.ts';
import { pollUntil } from '../../../services/shared/outage.ts';

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

test('polling stops when the client disconnects, before or during the wait', async () => {
  const before = newResponse();
  before.destroy();
  assert.ok(clientGone(before).aborted);

  const meanwhile = newResponse();
  const signal = clientGone(meanwhile);
  assert.ok(!signal.aborted);
  let checks = 0;
  const check = async () => {
    checks += 1;
    if (checks === 2) meanwhile.emit('close');
    return undefined;
  };
  assert.equal(await pollUntil(check, { milliseconds: 600_000, signal }), undefined);
  assert.equal(checks, 2);
});
