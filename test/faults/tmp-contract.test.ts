await import('./killed-processes/structured-extractions.ts');
