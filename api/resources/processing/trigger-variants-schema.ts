import { z } from 'zod';
import { componentStatus } from '../file/schema.ts';

export const triggerVariantsAnswer = z
  .object({
    success: z
      .boolean()
      .meta({ description: 'Whether the variants are being made, by this call or an earlier one' }),
    message: z.string(),
    task_id: z.string().meta({ description: 'Workflow id' }),
    current_status: componentStatus.meta({ description: 'Of the variants' }),
    image_id: z.uuid(),
    skipped_duplicate: z
      .boolean()
      .meta({ description: 'Work on this file was under way, so this call began none' }),
  })
  .meta({ id: 'TriggerVariantsAnswer' });
