import { ApiError } from 'darkroom-client';
import { client } from '../../lib/client.ts';

/** Finds folders by their names, and creates those that are missing, each once. */
export class FolderPaths {
  readonly #ids = new Map<string, Promise<string | undefined>>();
  readonly #children = new Map<string, Promise<Map<string, string>>>();

  /** @returns the id of the folder; undefined for the root of everything. @throws as the client */
  async idOf(projectId: string, path: string): Promise<string | undefined> {
    const key = `${projectId}/${path}`;
    let id = this.#ids.get(key);
    if (!id) {
      id = this.#find(projectId, path);
      this.#ids.set(key, id);
      id.catch(() => this.forget());
    }
    return id;
  }

  /** Looks anew from now on, for example after a folder was deleted. */
  forget(): void {
    this.#ids.clear();
    this.#children.clear();
  }

  async #find(projectId: string, path: string): Promise<string | undefined> {
    if (path === '') {
      if (!projectId) return undefined;
      const params = { path: { project_id: projectId } };
      return (await client.api.GET('/projects/{project_id}', { params })).data.root_folder_id;
    }
    const names = path.split('/');
    const name = names.pop() ?? '';
    const parent = await this.idOf(projectId, names.join('/'));
    const known = (await this.#childrenOf(parent)).get(name);
    if (known) return known;
    try {
      const body = { name, ...(parent && { parent_id: parent }) };
      return (await client.api.POST('/folders', { body })).data.id;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      // Somebody else has created it in the meantime, or it differs in case only.
      this.#children.delete(parent ?? 'root');
      const children = [...(await this.#childrenOf(parent))];
      const same = (one: string) => one.localeCompare(name, undefined, { sensitivity: 'accent' }) === 0;
      const found = children.find(([one]) => one === name) ?? children.find(([one]) => same(one));
      if (!found) throw error;
      return found[1];
    }
  }

  #childrenOf(parent: string | undefined): Promise<Map<string, string>> {
    const key = parent ?? 'root';
    let children = this.#children.get(key);
    if (!children) {
      children = this.#list(key);
      this.#children.set(key, children);
    }
    return children;
  }

  async #list(parent: string): Promise<Map<string, string>> {
    const children = new Map<string, string>();
    for await (const { name, id } of client.list('/folders', { query: { parent_id: parent, limit: 100 } })) {
      children.set(name, id);
    }
    return children;
  }
}
