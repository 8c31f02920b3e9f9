import { writeSeaweedKeys } from './seaweed.ts';

/**
 * `node dev/servers/write-seaweed-keys.ts FOLDER`: for docker-compose.yml, where SeaweedFS runs as a separate user and
 * mounts the folder.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node dev/servers/write-seaweed-keys.ts FOLDER');
await writeSeaweedKeys(folder, 0o644);
