import { useQueryClient } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { useLive } from '../../../lib/live.ts';
import { fileQuery, processingQuery, timelineQuery, type ProcessingStatus } from '../queries.ts';

/** Keeps the status of an unfinished file up to date, and reads the file again when a part of it is done. */
export function useLiveStatus({ id, primary_status: status }: FileDetail): void {
  const queries = useQueryClient();
  const isOpen = status === 'pending' || status === 'processing';
  useLive(isOpen ? `/files/${id}` : null, {
    onEvent: ({ type, data }) => {
      const { data: now } = data as { data: ProcessingStatus };
      const before = queries.getQueryData(processingQuery(id).queryKey);
      queries.setQueryData(processingQuery(id).queryKey, now);
      void queries.invalidateQueries({ queryKey: timelineQuery(id).queryKey });
      const isChanged = before && doneParts(before) !== doneParts(now);
      if (isChanged) void queries.invalidateQueries({ queryKey: fileQuery(id).queryKey, exact: true });
      if (type === 'file.terminal') void queries.invalidateQueries({ queryKey: fileQuery(id).queryKey });
    },
    // Without the channel, what it would have said is read.
    onEnd: () => void queries.invalidateQueries({ queryKey: fileQuery(id).queryKey }),
  });
}

const doneParts = ({ components }: ProcessingStatus) =>
  Object.values(components)
    .map(({ status }) => status)
    .join(' ');
