/** Progress as a ring; words beside it give the numbers. */
import type { JSX } from "preact";
import { WORDS } from "../words.js";

const CENTRE = 22;
const RADIUS = 18;

export function ProgressRing({ done, all }: { readonly done: number; readonly all: number }): JSX.Element {
  const share = all === 0 ? 0 : done / all;
  // Not shown as full or empty too early.
  const percent = Math.min(Math.max(Math.round(share * 100), done > 0 ? 1 : 0), done < all ? 99 : 100);
  const circle = { cx: CENTRE, cy: CENTRE, r: RADIUS, pathLength: 100 };
  return (
    <svg class={percent === 100 && all > 0 ? "ring full" : "ring"} viewBox="0 0 44 44" aria-hidden="true">
      <circle {...circle} />
      {done > 0 && (
        <circle
          class="share"
          {...circle}
          stroke-dasharray={`${percent} 100`}
          transform={`rotate(-90 ${CENTRE} ${CENTRE})`}
        />
      )}
      {percent === 100 && all > 0 ? (
        <path class="tick-mark" d="M15.5 22.5l4.5 4.5 8.5-9.5" />
      ) : (
        <text x={CENTRE} y={CENTRE + 4}>
          {all === 0 ? "–" : WORDS.percent(percent)}
        </text>
      )}
    </svg>
  );
}
