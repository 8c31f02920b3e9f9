/** A time of a video, as players write it: `0:07`, `0:01.5`, `1:04:09`; tenths only in the first minute. */
export function formatTime(seconds: number): string {
  const tenths = seconds < 60 ? Math.floor((seconds * 10) % 10) : 0;
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    Math.floor(seconds % 60),
  ];
  const two = (value: number) => String(value).padStart(2, '0');
  const shown = hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
  return tenths > 0 ? `${shown}.${tenths}` : shown;
}
