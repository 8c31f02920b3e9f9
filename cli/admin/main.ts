import { AppError } from '../../domain/app-error.ts';
import { UsageError } from '../shared/usage-error.ts';
import { readFlags } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';
import { stackEnv } from '../shared/stack-env.ts';
import { ACCESS_COMMANDS } from './access-commands.ts';
import { FLAGS, type Command } from './command.ts';
import { ENCRYPTION_COMMANDS, ENGINE_COMMANDS } from './engine-commands.ts';
import { OBJECT_COMMANDS } from './object-commands.ts';
import { SEED_COMMANDS, TENANT_COMMANDS } from './tenant-commands.ts';

const COMMANDS: Record<string, Command> = {
  ...TENANT_COMMANDS,
  ...ACCESS_COMMANDS,
  ...ENGINE_COMMANDS,
  ...ENCRYPTION_COMMANDS,
  ...OBJECT_COMMANDS,
  ...SEED_COMMANDS,
};
const MOST_OPERANDS = 3;
const HELP = `Usage: npm run admin -- COMMAND

Uses the servers in the environment, or else the stack on this machine.

${Object.entries(COMMANDS)
  .map(([name, { usage, does }]) => `  ${`${name} ${usage}`.trim()}\n${does.replaceAll(/^/gm, '      ')}`)
  .join('\n')}

Exit code: 0 done, 1 refused, 2 could not be run.`;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS, MOST_OPERANDS);
  if (!given) return undefined;
  const [name = '', ...operands] = given.positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command?.operands !== operands.length) throw new UsageError(HELP);
  const own = process.env['TEMPORAL_ADDRESS'] ? process.env : stackEnv(process.env);
  const code = await command.run(operands, given.values, own ?? process.env).catch(refused);
  if (code === undefined) throw new UsageError(HELP);
  return code;
});

/** Reports an AppError and returns the exit code. @throws any other error */
function refused(error: unknown): number {
  if (!(error instanceof AppError)) throw error;
  console.error(`Refused: ${error.message} (${error.code}).`);
  return 1;
}
