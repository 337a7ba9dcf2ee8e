// A checkout in Vue 3.
import { createApp } from 'vue';
import Checkout from './checkout.vue';

const { order, proxy } = document.querySelector('main').dataset;
createApp(Checkout, { order, proxy }).mount('main');
