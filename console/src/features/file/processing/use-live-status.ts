import { useQueryClient } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { useEffect, useState } from 'react';
import { useLive } from '../../../lib/live.ts';
import { fileQuery, processingQuery, timelineQuery, type ProcessingStatus } from '../queries.ts';

/** While the live channel cannot be followed. */
const POLL_MS = 5000;

/** Keeps the status of an unfinished file up to date, and reads the file again when a part of it is done. */
export function useLiveStatus({ id, primary_status: status }: FileDetail): void {
  const queries = useQueryClient();
  const isOpen = status === 'pending' || status === 'processing';
  const [isEnded, setEnded] = useState(false);
  useLive(isOpen ? `/files/${id}` : null, {
    onEvent: ({ type, data }) => {
      setEnded(false);
      const { data: now } = data as { data: ProcessingStatus };
      const before = queries.getQueryData(processingQuery(id).queryKey);
      queries.setQueryData(processingQuery(id).queryKey, now);
      void queries.invalidateQueries({ queryKey: timelineQuery(id).queryKey });
      const isChanged = before && doneParts(before) !== doneParts(now);
      if (isChanged || type === 'file.terminal') {
        void queries.invalidateQueries({ queryKey: fileQuery(id).queryKey, exact: true });
      }
    },
    onEnd: () => setEnded(true),
  });
  useEffect(() => {
    if (!isOpen) return;
    const read = () => void queries.invalidateQueries({ queryKey: fileQuery(id).queryKey });
    const timer = isEnded ? setInterval(read, POLL_MS) : undefined;
    return () => {
      clearInterval(timer);
      // The file itself may be read as done before the channel says so, and is then followed no longer.
      read();
    };
  }, [isOpen, isEnded, queries, id]);
}

const doneParts = ({ components }: ProcessingStatus) =>
  Object.values(components)
    .map(({ status }) => status)
    .join(' ');
