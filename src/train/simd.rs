//! One loop, compiled for several generations of processors and chosen at run time.

/// Wraps functions of plain loops: each body is compiled for AVX-512, for AVX2 and for the target's
/// baseline, and the widest that this processor has is called. The arithmetic and its order are
/// the same in all three (nothing is fused), so the results are too.
macro_rules! vectorised {
    ($($(#[$meta:meta])* pub fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block)+) => {$(
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        pub(super) fn $name($($arg: $type),*) $(-> $output)? {
            #[inline(always)]
            fn body($($arg: $type),*) $(-> $output)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
                fn avx512($($arg: $type),*) $(-> $output)? { body($($arg),*) }
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),*) $(-> $output)? { body($($arg),*) }

                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                {
                    // SAFETY: the processor has what the function was compiled for.
                    return unsafe { avx512($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { avx2($($arg),*) };
                }
            }
            body($($arg),*)
        }
    )+};
}
pub(super) use vectorised;
