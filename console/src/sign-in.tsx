import { SignIn } from './features/auth/sign-in.tsx';
import { show } from './lib/show.tsx';

show(<SignIn />);
