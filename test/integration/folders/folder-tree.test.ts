import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { AppError } from '../../../domain/app-error.ts';
import { MAX_FOLDER_DEPTH } from '../../../domain/limits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { changeFolder, createFolder, listFolders } from '../../../services/files/folders/folders.ts';
import { createProject } from '../../../services/files/folders/create-project.ts';
import { deleteFolder } from '../../../services/trash/delete-folder.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { sharedRun } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';

/** Model-based test of the folder tree, against a plain tree in memory. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const engine = createEngine(readConfig([temporalConfig], process.env));
after(async () => {
  await engine.close();
  await orm.close(true);
});
const em = () => orm.em.fork();

interface Node {
  id: string;
  name: string;
  parent: Node | undefined;
  project: string | undefined;
}

/** The same rules, written as plainly as possible. */
class PlainTree {
  nodes: Node[] = [];

  depth = (node: Node | undefined): number => (node ? 1 + this.depth(node.parent) : 0);
  height = (node: Node): number => 1 + Math.max(0, ...this.children(node).map(this.height));
  children = (parent: Node | undefined): Node[] => this.nodes.filter((node) => node.parent === parent);
  below = (node: Node): Node[] => [node, ...this.children(node).flatMap(this.below)];
  path = (node: Node): string => `${node.parent ? this.path(node.parent) : ''}/${node.name}`;

  create(id: string, name: string, parent: Node | undefined): string {
    if (this.depth(parent) === MAX_FOLDER_DEPTH) return 'FOLDER_TOO_DEEP';
    if (this.isTaken(name, parent)) return 'NAME_TAKEN';
    this.nodes.push({ id, name, parent, project: parent?.project });
    return 'ok';
  }

  change(node: Node, name: string, parent: Node | undefined): string {
    if (!node.parent && node.project) return 'PROJECT_ROOT';
    if (parent !== node.parent) {
      if (parent && this.below(node).includes(parent)) return 'FOLDER_CYCLE';
      if (this.depth(parent) + this.height(node) > MAX_FOLDER_DEPTH) return 'FOLDER_TOO_DEEP';
    }
    if (this.isTaken(name, parent, node)) return 'NAME_TAKEN';
    Object.assign(node, { name, parent });
    for (const each of this.below(node)) each.project = parent?.project;
    return 'ok';
  }

  delete(node: Node, recursive: boolean): string {
    if (!node.parent && node.project) return 'PROJECT_ROOT';
    const all = this.below(node);
    if (all.length > 1 && !recursive) return 'FOLDER_NOT_EMPTY';
    this.nodes = this.nodes.filter((each) => !all.includes(each));
    return 'ok';
  }

  isTaken(name: string, parent: Node | undefined, except?: Node): boolean {
    return this.children(parent).some((node) => node.name === name && node !== except);
  }
}

async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** The index of a folder, taken modulo the size of the tree; none means the root. */
const place = fc.option(fc.nat(30), { freq: 5 });
const name = fc.constantFrom('a', 'b', 'c', 'd');
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('create' as const), name, at: place }) },
  // Chains, so that the depth limit is reached.
  { weight: 3, arbitrary: fc.record({ type: fc.constant('deepen' as const), levels: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('rename' as const), which: fc.nat(30), name }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('move' as const), which: fc.nat(30), at: place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('delete' as const),
      which: fc.nat(30),
      recursive: fc.boolean(),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

test('any sequence of changes has the same outcomes as on the plain tree', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 25 }), async (commands) => {
      const { tenantId } = await createOwnTenant(orm, sharedRun());
      const tree = new PlainTree();
      const projectId = randomUUID();
      const project = await createProject(em(), tenantId, {
        id: projectId,
        name: 'p',
        description: null,
        defaultContentCategory: null,
        defaultSchemaId: null,
      });
      tree.nodes.push({ id: project.rootFolderId, name: 'p', parent: undefined, project: projectId });
      for (const one of commands) {
        for (const [expected, got] of await apply(tenantId, tree, one)) {
          assert.equal(got, expected, JSON.stringify(one));
          seen.add(`${one.type} ${expected}`);
        }
      }
      const { folders } = await listFolders(em(), tenantId, { limit: 1000, offset: 0 });
      assert.deepEqual(
        folders.map(({ folder, path }) => `${folder.id} ${path} ${folder.projectId}`).toSorted(),
        tree.nodes.map((node) => `${node.id} ${tree.path(node)} ${node.project ?? null}`).toSorted(),
      );
    }),
    { numRuns: 10, seed: 20_261_122 },
  );
  // The commands must be varied enough to reach every outcome.
  for (const expected of [
    'move FOLDER_CYCLE',
    'move NAME_TAKEN',
    'move ok',
    'deepen FOLDER_TOO_DEEP',
    'delete ok',
  ]) {
    assert.ok(seen.has(expected), `${expected} never occurred; seen: ${[...seen].join(', ')}`);
  }
});

/** @returns pairs of the outcome on the plain tree and the real one */
async function apply(tenantId: string, tree: PlainTree, one: Command): Promise<[string, string][]> {
  const at = (index: number | null) =>
    index === null || tree.nodes.length === 0 ? undefined : tree.nodes[index % tree.nodes.length];
  const create = async (label: string, parent: Node | undefined): Promise<[string, string]> => {
    const id = randomUUID();
    const parentId = parent?.id;
    const real = await outcome(createFolder(em(), tenantId, { id, name: label, parentId }));
    return [tree.create(id, label, parent), real];
  };
  if (one.type === 'create') return [await create(one.name, at(one.at))];
  if (one.type === 'deepen') {
    const pairs: [string, string][] = [];
    for (let level = 0; level <= one.levels; level++) {
      const [deepest] = tree.nodes.toSorted((a, b) => tree.depth(b) - tree.depth(a));
      pairs.push(await create(`level ${level}`, deepest));
    }
    return pairs;
  }
  const node = at(one.which);
  if (!node) return [];
  if (one.type === 'rename') {
    const real = await outcome(changeFolder(em(), tenantId, node.id, { name: one.name }));
    return [[tree.change(node, one.name, node.parent), real]];
  }
  if (one.type === 'move') {
    const parent = at(one.at);
    const real = await outcome(changeFolder(em(), tenantId, node.id, { parentId: parent?.id ?? null }));
    return [[tree.change(node, node.name, parent), real]];
  }
  const real = await outcome(deleteFolder({ em: em(), engine }, tenantId, node.id, one.recursive));
  return [[tree.delete(node, one.recursive), real]];
}

test('no row of a folder can refer to another tenant', async () => {
  const [one, two] = [await createOwnTenant(orm, sharedRun()), await createOwnTenant(orm, sharedRun())];
  const theirs = await createFolder(em(), two.tenantId, { id: randomUUID(), name: 'theirs' });
  const row = { tenantId: one.tenantId, id: randomUUID(), name: 'x', createdAt: new Date() };
  await assert.rejects(em().insert(Folder, { ...row, parentId: theirs.id }), /folders_parent_foreign/);
});
