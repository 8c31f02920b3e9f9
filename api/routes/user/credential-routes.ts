import { confirmEmailChange, requestEmailChange } from '../../../services/accounts/users/change-email.ts';
import { changePassword, setInitialPassword } from '../../../services/accounts/users/change-password.ts';
import { readAuthProvider } from '../../../services/accounts/login-sessions/read-login.ts';
import { readProfile } from '../../../services/accounts/users/profile.ts';
import { loginOf } from '../../../services/accounts/principal.ts';
import { startAccountMail } from '../../../temporal/start-workflow.ts';
import { route } from '../../http/route.ts';
import { setSessionCookie } from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import {
  changeEmailBody,
  changePasswordBody,
  initialPasswordAnswer,
  message,
  newPassword,
  tokenBody,
} from '../../resources/user.ts';

/** Password and email address of the user who is logged in. */
export const userCredentialRoutes = [
  route({
    method: 'post',
    path: '/user/change-password',
    operationId: 'changePassword',
    summary: 'Change the password; ends all other sessions, and this one continues with a new cookie',
    tag: 'User settings',
    permit: 'account.manage',
    limit: { requests: 3, per: 'hour', of: 'user' },
    body: changePasswordBody,
    answers: { 200: message },
    errors: ['WRONG_PASSWORD', 'NO_PASSWORD'],
    async handle({ ctx, deps, em, log, principal, body }) {
      const { current_password: current, new_password: next } = body;
      const token = await changePassword({ em, passwords: deps.passwords }, principal, {
        current,
        next,
        client: clientInfo(ctx),
      });
      setSessionCookie(ctx, deps, token);
      const { userId } = loginOf(principal);
      await startAccountMail(deps.engine, { kind: 'password_changed', userId }).catch((error: unknown) =>
        log.warn({ err: error }, 'the notice of a changed password was not started'),
      );
      return { message: 'The password is changed. All other sessions have ended.' };
    },
  }),

  route({
    method: 'post',
    path: '/user/change-email',
    operationId: 'changeEmail',
    summary: 'Request a change of email address; emails a link to the new one and a notice to the old',
    accepted:
      'an email is on its way to the new address, with a token for `POST /user/confirm-email-change`; ' +
      'the address changes with it.',
    tag: 'User settings',
    permit: 'account.manage',
    limit: { requests: 3, per: 'day', of: 'user' },
    body: changeEmailBody,
    answers: { 202: message },
    errors: ['WRONG_PASSWORD', 'NO_PASSWORD'],
    async handle({ ctx, deps, em, principal, body }) {
      const { new_email: email, password } = body;
      const { passwords, engine } = deps;
      await requestEmailChange({ em, passwords }, principal, { email, password, client: clientInfo(ctx) });
      await startAccountMail(engine, { kind: 'change_email', userId: loginOf(principal).userId });
      ctx.status = 202;
      return { message: 'Confirm the change with the link that is on its way to the new address.' };
    },
  }),

  route({
    method: 'post',
    path: '/user/confirm-email-change',
    operationId: 'confirmEmailChange',
    summary: 'Confirm the new email address with the token from its email',
    tag: 'User settings',
    permit: 'account.manage',
    body: tokenBody,
    answers: { 200: message },
    errors: ['TOKEN_INVALID', 'EMAIL_IN_USE'],
    async handle({ ctx, em, principal, body: { token } }) {
      await confirmEmailChange(em, principal, { token, ipAddress: clientInfo(ctx).ipAddress });
      return { message: 'The email address is changed.' };
    },
  }),

  route({
    method: 'post',
    path: '/user/set-initial-password',
    operationId: 'setInitialPassword',
    summary: 'Add a password to an account of an identity provider; the body is a bare JSON string',
    description: 'Needs a login of the last ten minutes.',
    tag: 'User settings',
    permit: 'account.manage',
    // Selects the parser that drops such keys, since only that one accepts a bare string.
    dropProto: true,
    body: newPassword,
    answers: { 200: initialPasswordAnswer },
    errors: ['PASSWORD_EXISTS', 'LOGIN_TOO_OLD'],
    async handle({ ctx, deps, em, log, principal, body: password }) {
      const { ipAddress } = clientInfo(ctx);
      await setInitialPassword({ em, passwords: deps.passwords }, principal, { password, ipAddress });
      const { userId } = loginOf(principal);
      await startAccountMail(deps.engine, { kind: 'password_set', userId }).catch((error: unknown) =>
        log.warn({ err: error }, 'the notice of a first password was not started'),
      );
      const user = await readProfile(em, principal);
      return { success: true as const, auth_provider: await readAuthProvider(em, user) };
    },
  }),
];
