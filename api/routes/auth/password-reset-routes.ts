import { startAccountMail } from '../../../temporal/start-workflow.ts';
import {
  findMailRecipient,
  recordResetRequest,
  resetPassword,
} from '../../../services/accounts/users/reset-password.ts';
import { admitAttempt, ATTEMPT_ERRORS, limitMails } from '../../http/limit-attempts.ts';
import { publicRoute } from '../../http/route.ts';
import { clearSessionCookie } from '../../http/session-cookie.ts';
import { clientInfo } from '../../http/client-info.ts';
import { emailBody, resetPasswordBody } from '../../resources/login.ts';
import { message } from '../../resources/user.ts';

/** Reset of a forgotten password. */
export const passwordResetRoutes = [
  publicRoute({
    method: 'post',
    path: '/auth/forgot-password',
    operationId: 'forgotPassword',
    summary: 'Email a link to reset the password; the answer does not reveal whether the user exists',
    accepted: 'an email is on its way if the user exists, with a token for `POST /auth/reset-password`.',
    tag: 'Authentication',
    body: emailBody,
    answers: { 202: message },
    errors: [...ATTEMPT_ERRORS],
    admit: admitAttempt('forgot-password'),
    async handle({ ctx, deps, em, log, body: { email } }) {
      await limitMails(ctx, deps, { operation: 'forgot-password', email });
      const userId = await findMailRecipient(em, email);
      await startAccountMail(deps.engine, { kind: 'reset_password', userId });
      // Not awaited: the time of the write would reveal that the user exists.
      void recordResetRequest(em.fork(), userId, clientInfo(ctx).ipAddress).catch((error: unknown) =>
        log.error({ err: error }, 'a request to reset a password was not recorded'),
      );
      ctx.status = 202;
      return { message: 'If there is an account with this address, an email is on its way.' };
    },
  }),

  publicRoute({
    method: 'post',
    path: '/auth/reset-password',
    operationId: 'resetPassword',
    summary:
      'Choose a new password with the token from the email; ends all sessions, and API keys on request',
    tag: 'Authentication',
    body: resetPasswordBody,
    answers: { 200: message },
    errors: [...ATTEMPT_ERRORS, 'TOKEN_INVALID'],
    admit: admitAttempt('reset-password'),
    async handle({ ctx, deps, em, body }) {
      const { ipAddress } = clientInfo(ctx);
      const { token, password, revoke_api_keys: revokeApiKeys = false } = body;
      const reset = { token, password, revokeApiKeys, ipAddress };
      const { revokedKeys, liveKeys } = await resetPassword({ em, passwords: deps.passwords }, reset);
      clearSessionCookie(ctx, deps);
      return {
        message: `The password is changed. Log in with it. API keys of yours: ${revokedKeys} revoked, ${liveKeys} valid.`,
      };
    },
  }),
];
