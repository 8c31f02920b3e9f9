import { HostEnded } from '../../engines/hosts/host.ts';
import { ModelError } from '../../adapters/models/model-error.ts';
import { AppError } from '../../domain/app-error.ts';
import { outage } from '../shared/outage.ts';

/** Share of the time limit of a search for its model and its index; the rest is for the search by words alone. */
export const MEANING_SHARE = 0.75;

/** Whether the model or the index of a search cannot be reached, so that it goes on by words alone. */
export function isAway(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'SERVICE_UNAVAILABLE';
  return error instanceof ModelError || error instanceof HostEnded || outage(error) === 'vector index';
}
