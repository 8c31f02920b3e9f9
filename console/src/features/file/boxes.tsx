/** A place in a picture or on a page, 0–1 of its width and height. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface PlacedBox {
  id: string;
  box: Box;
  /** Classes of its outline and its fill. */
  tone: string;
  /** Shown as a tooltip. */
  label: string;
}

/**
 * Boxes over a picture that fills the same parent, for pointers; what stands beside the picture does the same for the
 * keyboard and for screen readers, and has targets that are large enough.
 *
 * @param active ids that are highlighted
 * @param onPoint the box below the pointer, or null
 */
export function Boxes({
  boxes,
  active,
  onPoint,
  onSelect,
}: {
  boxes: readonly PlacedBox[];
  active: ReadonlySet<string>;
  onPoint?: ((id: string | null) => void) | undefined;
  onSelect: (id: string) => void;
}) {
  return (
    <div className="absolute inset-0" aria-hidden>
      {boxes.map(({ id, box, tone, label }) => (
        <button
          key={id}
          type="button"
          data-box={id}
          tabIndex={-1}
          title={label}
          onPointerEnter={() => onPoint?.(id)}
          onPointerLeave={() => onPoint?.(null)}
          onClick={() => onSelect(id)}
          className={`absolute rounded-xs border transition-colors ${tone} ${active.has(id) ? 'z-10 border-accent bg-accent/25 ring-2 ring-accent' : 'bg-transparent hover:bg-accent/15'}`}
          style={{
            left: `${box.left * 100}%`,
            top: `${box.top * 100}%`,
            width: `${box.width * 100}%`,
            height: `${box.height * 100}%`,
          }}
        />
      ))}
    </div>
  );
}
