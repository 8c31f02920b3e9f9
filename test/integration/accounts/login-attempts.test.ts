import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sharedRun, type Answer } from '../../support/api.ts';
import { openBrowser, type Browser } from '../../support/browser.ts';
import { register } from '../../support/register.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

/** Who is counted with whom, on a replica with the limits of a deployment. */
const run = sharedRun();
let replica: Replica;
before(async () => {
  replica = await startReplica({ AUTH_ATTEMPTS_PER_MINUTE: '5', TRUSTED_PROXIES: '127.0.0.1' });
});
after(() => replica.stop());

interface Account {
  email: string;
  password: string;
}

const address = () => `user-${randomUUID().slice(0, 8)}@studio.example`;
/** Networks of one test. */
const networks = () => {
  const [a, b] = randomBytes(2);
  return (last: number) => `203.${a}.${b}.${last}`;
};

/** Registered where nothing is limited. */
async function newAccount(): Promise<Account> {
  const account = { email: address(), password: randomBytes(9).toString('base64url') };
  await register(openBrowser(run.api_url), account);
  return account;
}

async function logIn(from: string, account: Account, browser?: Browser): Promise<Answer> {
  const device = browser ?? openBrowser(replica.url);
  return device.post('/auth/login', account, { 'X-Forwarded-For': from });
}

const wrong = (email: string): Account => ({ email, password: 'not the password' });

/** The statuses of as many attempts, one after another. */
async function inTurn(count: number, attempt: (at: number) => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at += 1) statuses.push((await attempt(at)).status);
  return statuses;
}

test('logins that succeed are not counted, and strangers behind an address do not lock out its known devices', async () => {
  const office = networks()(1);
  const [one, other] = [await newAccount(), await newAccount()];
  const known = openBrowser(replica.url);
  assert.equal((await logIn(office, one, known)).status, 200);
  const elsewhere = openBrowser(replica.url);
  assert.equal((await logIn(networks()(1), other, elsewhere)).status, 200);
  const got = await inTurn(7, (at) => logIn(office, at % 2 ? one : other));
  assert.deepEqual(got, Array(7).fill(200));

  const guesses = await inTurn(6, () => logIn(office, wrong(address())));
  assert.deepEqual(guesses, [401, 401, 401, 401, 401, 429]);
  assert.equal((await logIn(office, other)).status, 429, 'a new device');
  assert.equal((await logIn(office, one, known)).status, 200);
  // Each cookie is for the account that was logged in to with it, and only this service makes one.
  assert.equal((await logIn(office, other, known)).status, 429);
  const cookie = known.cookies.get('device') ?? '';
  for (const forged of ['', 'x', `${cookie.split('.')[0]}.AAAA`, `${cookie.slice(0, -8)}AAAAAAA=`]) {
    known.cookies.set('device', forged);
    assert.equal((await logIn(office, one, known)).status, 429, forged);
  }

  // A stolen cookie is no way to guess without limit, and does not lock out other devices.
  known.cookies.set('device', cookie);
  const stolen = await inTurn(6, (at) => logIn(networks()(at), wrong(one.email), known));
  assert.equal(stolen.at(-1), 429, String(stolen));
  assert.equal((await logIn(networks()(1), one)).status, 200);
});

test('guesses from many networks do not lock the owner of an account out of a known device', async () => {
  const owner = await newAccount();
  const known = openBrowser(replica.url);
  const from = networks();
  assert.equal((await logIn(from(0), owner, known)).status, 200);
  const guesses = await inTurn(51, (at) => logIn(from(at + 1), wrong(owner.email)));
  assert.deepEqual([guesses.filter((status) => status === 401).length, guesses.at(-1)], [50, 429]);
  assert.equal((await logIn(from(99), owner)).status, 429);
  assert.equal((await logIn(from(99), owner, known)).status, 200);
});

test('a stranger who asks for mails to an address leaves the owner theirs, whether it has an account or not', async () => {
  const owner = await newAccount();
  const known = openBrowser(replica.url);
  assert.equal((await logIn(networks()(1), owner, known)).status, 200);
  for (const email of [owner.email, address()]) {
    const from = networks();
    const ask = (network: string, browser = openBrowser(replica.url)) =>
      browser.post('/auth/forgot-password', { email }, { 'X-Forwarded-For': network });
    assert.deepEqual(await inTurn(4, () => ask(from(1))), [202, 202, 202, 429], email);
    assert.deepEqual(await inTurn(3, () => ask(from(2))), [202, 202, 429], email);
    assert.equal((await ask(from(3))).status, 429, 'all networks together');
    const own = await inTurn(6, (at) => ask(from(at + 4), known));
    const expected = email === owner.email ? [202, 202, 202, 202, 202, 429] : Array(6).fill(429);
    assert.deepEqual(own, expected, email);
  }
});
