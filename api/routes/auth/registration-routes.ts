import { startAccountMail } from '../../../temporal/start-workflow.ts';
import { acceptInvitation } from '../../../services/accounts/users/accept-invitation.ts';
import { findMailRecipient } from '../../../services/accounts/users/reset-password.ts';
import { register } from '../../../services/accounts/users/register.ts';
import { verifyEmail } from '../../../services/accounts/users/verify-email.ts';
import { admitAttempt, ATTEMPT_ERRORS, limitMails } from '../../http/limit-attempts.ts';
import { publicRoute } from '../../http/route.ts';
import { clientInfo } from '../../http/client-info.ts';
import { acceptInvitationBody, emailBody, registerBody, verifyEmailBody } from '../../resources/login.ts';
import { message } from '../../resources/user.ts';

/** Registration of users. Answers are the same for known and unknown addresses. */
export const registrationRoutes = [
  publicRoute({
    method: 'post',
    path: '/auth/register',
    operationId: 'register',
    summary: 'Register a user with a tenant of their own; emails a link to verify the address',
    description:
      'Creates a user, with a tenant of which they are the owner. The answer is the same for an address ' +
      'that has an account.',
    accepted: 'an email is on its way, with a link and a token for `POST /auth/verify-email`.',
    tag: 'Authentication',
    body: registerBody,
    answers: { 202: message },
    errors: [...ATTEMPT_ERRORS],
    admit: admitAttempt('register'),
    async handle({ ctx, deps, em, log, body }) {
      const { email, password, name, tenant_name: tenantName } = body;
      await limitMails(ctx, deps, { operation: 'register', email });
      const { ipAddress } = clientInfo(ctx);
      const { engine, passwords } = deps;
      const registration = { email, password, name, tenantName, ipAddress };
      const { rest } = await register({ em: em.fork(), engine, passwords }, registration);
      // A user who receives no email registers again.
      rest.catch((error: unknown) => log.error({ err: error }, 'a registration was not finished'));
      ctx.status = 202;
      return {
        message: 'Check your email: it says how to continue. You can log in once your address is verified.',
      };
    },
  }),

  publicRoute({
    method: 'post',
    path: '/auth/verify-email',
    operationId: 'verifyEmail',
    summary:
      'Verify the address of a user with the token from its email, keeping or replacing the registered password',
    tag: 'Authentication',
    body: verifyEmailBody,
    answers: { 200: message },
    errors: [...ATTEMPT_ERRORS, 'TOKEN_INVALID', 'WRONG_PASSWORD'],
    admit: admitAttempt('verify-email'),
    async handle({ ctx, deps, em, body }) {
      const { token, password: registered = '', new_password: next } = body;
      const password = next === undefined ? { registered } : { next };
      const { ipAddress } = clientInfo(ctx);
      await verifyEmail({ em, passwords: deps.passwords }, { token, password, ipAddress });
      return { message: 'The address is verified. You can log in now.' };
    },
  }),

  publicRoute({
    method: 'post',
    path: '/auth/resend-verification',
    operationId: 'resendVerification',
    summary: 'Email the verification link again',
    accepted: 'an email is on its way if the address waits to be verified.',
    tag: 'Authentication',
    body: emailBody,
    answers: { 202: message },
    errors: [...ATTEMPT_ERRORS],
    admit: admitAttempt('resend-verification'),
    async handle({ ctx, deps, em, body: { email } }) {
      await limitMails(ctx, deps, { operation: 'resend-verification', email });
      const userId = await findMailRecipient(em, email);
      await startAccountMail(deps.engine, { kind: 'verify_email', userId });
      ctx.status = 202;
      return { message: 'If this address is to be verified, an email is on its way.' };
    },
  }),

  publicRoute({
    method: 'post',
    path: '/auth/accept-invitation',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation to a tenant with the token from its email; a new user chooses a password',
    tag: 'Authentication',
    body: acceptInvitationBody,
    answers: { 200: message },
    errors: [...ATTEMPT_ERRORS, 'TOKEN_INVALID'],
    admit: admitAttempt('accept-invitation'),
    async handle({ ctx, deps, em, body }) {
      const { ipAddress } = clientInfo(ctx);
      await acceptInvitation({ em, passwords: deps.passwords }, { ...body, ipAddress });
      return { message: 'The invitation is accepted. You can log in now.' };
    },
  }),
];
