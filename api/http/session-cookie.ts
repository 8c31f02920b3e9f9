import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import {
  KNOWN_DEVICE_SECONDS,
  OIDC_FLOW_SECONDS,
  LOGIN_SESSION_SECONDS,
} from '../../domain/accounts/login.ts';
import type { ApiDeps } from '../deps.ts';

type Place = Pick<ApiDeps, 'publicBaseUrl'>;

/** `__Host-` binds a cookie to this host over https; browsers refuse that name on plain http. */
export function sessionCookieName({ publicBaseUrl }: Place): string {
  return publicBaseUrl?.protocol === 'https:' ? '__Host-session' : 'session';
}

export function readSessionCookie(ctx: Context, place: Place): string | undefined {
  return ctx.cookies.get(sessionCookieName(place)) || undefined;
}

export function setSessionCookie(ctx: Context, place: Place, token: string): void {
  append(ctx, sessionCookieName(place), token, LOGIN_SESSION_SECONDS);
}

export function clearSessionCookie(ctx: Context, place: Place): void {
  append(ctx, sessionCookieName(place), '', 0);
}

/** The cookie that binds a login at the identity provider to one browser. */
export const oidcCookie = {
  read: (ctx: Context, place: Place): string | undefined =>
    ctx.cookies.get(oidcCookieName(place)) || undefined,
  set: (ctx: Context, place: Place, token: string): void =>
    append(ctx, oidcCookieName(place), token, OIDC_FLOW_SECONDS),
  clear: (ctx: Context, place: Place): void => append(ctx, oidcCookieName(place), '', 0),
};

/** Long enough for a browser to follow a redirect. */
const REFUSAL_SECONDS = 60;

/** Why a login was refused, for the scripts of the sign-in page: no link of a stranger can put words there. */
export function setRefusalCookie(
  ctx: Context,
  place: Place,
  refusal: { code: string; detail: string },
): void {
  const name = sessionCookieName(place).replace('session', 'refusal');
  append(ctx, name, new URLSearchParams(refusal).toString(), REFUSAL_SECONDS, '');
}

/** A device on which a user has logged in with a password, as its cookie tells. */
export interface KnownDevice {
  id: string;
  /** `accountOf` of the user's address. */
  account: string;
}

type DevicePlace = Place & Pick<ApiDeps, 'bucketAccess'>;

/** What device cookies are sealed for, in place of a tenant. */
const DEVICE = 'device';

/**
 * The cookie of a known device: whoever has it is counted apart from strangers, and has no right beyond that. Sealed, so
 * that only a login makes one.
 */
export const deviceCookie = {
  read(ctx: Context, place: DevicePlace): KnownDevice | undefined {
    const [keyId = '', sealed = ''] = (ctx.cookies.get(deviceCookieName(place)) ?? '').split('.');
    try {
      const [id = '', account = ''] = place.bucketAccess.cipher.open(DEVICE, { keyId, sealed }).split('.');
      return { id, account };
    } catch {
      return undefined;
    }
  },
  set(ctx: Context, place: DevicePlace, account: string): void {
    const { keyId, sealed } = place.bucketAccess.cipher.seal(DEVICE, `${randomUUID()}.${account}`);
    append(ctx, deviceCookieName(place), `${keyId}.${sealed}`, KNOWN_DEVICE_SECONDS);
  },
  clear: (ctx: Context, place: Place): void => append(ctx, deviceCookieName(place), '', 0),
};

function deviceCookieName(place: Place): string {
  return sessionCookieName(place).replace('session', 'device');
}

function oidcCookieName(place: Place): string {
  return sessionCookieName(place).replace('session', 'oidc');
}

/** Written by hand: Koa's cookies refuse `Secure` behind a proxy that ends TLS. */
function append(ctx: Context, name: string, value: string, seconds: number, kept = '; HttpOnly'): void {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  ctx.append('Set-Cookie', `${name}=${value}; Path=/; Max-Age=${seconds}${kept}; SameSite=Lax${secure}`);
}
