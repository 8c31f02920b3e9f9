import type { FileDetail } from 'darkroom-client';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../../lib/session.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { Badge } from '../../../ui/status.tsx';
import { FILE_TEXTS } from '../texts.ts';
import { EditDialog } from './edit-dialog.tsx';

/** What a file shows, in the words of its user and of the model, with its tags. */
export function Description({ file }: { file: FileDetail }) {
  const [isEditing, setEditing] = useState(false);
  const mayChange = useMay('editor');
  const { user_description: own, upload_description: described, tags } = file;
  const { description } = FILE_TEXTS;
  return (
    <Card
      title={description.title}
      actions={
        mayChange && (
          <IconButton
            icon={Pencil}
            size="smallIcon"
            label={FILE_TEXTS.actions.edit}
            onClick={() => setEditing(true)}
          />
        )
      }
    >
      <div className="flex flex-col gap-3">
        {own && <p className="whitespace-pre-wrap wrap-anywhere">{own}</p>}
        {described && (
          <div className={own ? 'text-muted' : ''}>
            {own && <h3 className="text-sm font-medium">{description.byModel}</h3>}
            <p className="whitespace-pre-wrap wrap-anywhere">{described}</p>
          </div>
        )}
        {!own && !described && <p className="text-muted">{description.none}</p>}
        {file.description_error && <p className="text-sm text-bad">{file.description_error}</p>}
        {tags.length > 0 && (
          <ul aria-label={description.tags} className="flex flex-wrap gap-1.5">
            {tags.map((tag) => (
              <li key={tag}>
                <Badge>{tag}</Badge>
              </li>
            ))}
          </ul>
        )}
      </div>
      <EditDialog file={file} open={isEditing} onClose={() => setEditing(false)} />
    </Card>
  );
}
