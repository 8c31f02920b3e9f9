import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatNumber, formatTick } from '../../lib/format.ts';
import { useTheme } from '../../lib/theme.ts';

const HEIGHT = 220;

/** Bars over time. The caption of the figure around it says the same in words. */
export default function UsageChart({
  points,
  name,
  unit,
}: {
  points: readonly { timestamp: string; value: number }[];
  name: string;
  unit: 'hour' | 'day' | 'month';
}) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const color = (token: string) =>
      getComputedStyle(document.documentElement).getPropertyValue(token).trim();
    const axis = {
      stroke: color('--muted'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
    };
    const bars = UPlot.paths.bars?.({ size: [0.7, 60] });
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        axes: [
          { ...axis, values: (_chart, marks) => marks.map((seconds) => formatTick(seconds * 1000, unit)) },
          { ...axis, size: 60, values: (_chart, marks) => marks.map(formatNumber) },
        ],
        scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most)] } },
        series: [
          {},
          { label: name, fill: color('--accent'), points: { show: false }, ...(bars && { paths: bars }) },
        ],
      },
      [points.map(({ timestamp }) => new Date(timestamp).getTime() / 1000), points.map(({ value }) => value)],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [points, name, unit, theme]);
  return <div ref={place} aria-hidden className="min-h-62 w-full" />;
}
