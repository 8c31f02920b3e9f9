import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A local OpenID provider; tests set the claims of its users. */
export interface OpenIdProvider {
  issuer: string;
  /**
   * Acts as the provider's login page: returns the query of the browser's callback.
   *
   * @param start authorization URL that the browser was redirected to
   * @param claims of the ID token, in addition to the usual ones or replacing them
   * @param userInfo further claims, which only the endpoint of user information tells; or `failure`, its status instead
   */
  logIn(start: string, claims: JWTPayload, userInfo?: JWTPayload): string;
  stop(): Promise<void>;
}

export const CLIENT = { id: 'darkroom', secret: 'client-secret' };

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, { challenge: string; claims: JWTPayload; userInfo: JWTPayload }>();
  const infos = new Map<string, JWTPayload>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration') {
      return answer(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    if (request.url === '/jwks') return answer(200, { keys: [jwk] });
    if (request.url === '/userinfo') {
      const info = infos.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
      return answer(Number(info?.['failure'] ?? (info ? 200 : 401)), info ?? {});
    }
    if (request.url !== '/token') return answer(404, {});
    const form = new URLSearchParams((await request.toArray()).join(''));
    const known = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!known || known.challenge !== challenge) return answer(400, { error: 'invalid_grant' });
    const now = Math.floor(Date.now() / 1000);
    const idToken = await new SignJWT({
      iss: issuer,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      ...known.claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(privateKey);
    const accessToken = randomUUID();
    infos.set(accessToken, { ...(known.claims.sub && { sub: known.claims.sub }), ...known.userInfo });
    return answer(200, { access_token: accessToken, token_type: 'Bearer', id_token: idToken });
  }
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    logIn(start, claims, userInfo = {}) {
      const asked = new URL(start).searchParams;
      const code = randomUUID();
      codes.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        claims: { nonce: asked.get('nonce') ?? '', ...claims },
        userInfo,
      });
      return new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
