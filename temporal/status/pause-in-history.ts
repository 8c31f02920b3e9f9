import { defaultPayloadConverter } from '@temporalio/common';
import { tsToDate } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { FILE_SIGNALS, type FilePause } from '../contract/process-file.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Since when a run of a file holds with its session, by the signals in its history; undefined when it does not. */
export function pausedSince(events: readonly HistoryEvent[], generation: number): Date | undefined {
  let since: Date | undefined;
  for (const event of events) {
    const pause = pauseOf(event);
    if (pause?.generation !== generation) continue;
    since = pause.paused ? (since ?? tsToDate(event.eventTime ?? {})) : undefined;
  }
  return since;
}

function pauseOf({ workflowExecutionSignaledEventAttributes: signal }: HistoryEvent): FilePause | undefined {
  const payload = signal?.signalName === FILE_SIGNALS.sessionPaused && signal.input?.payloads?.[0];
  return payload ? defaultPayloadConverter.fromPayload<FilePause>(payload) : undefined;
}
